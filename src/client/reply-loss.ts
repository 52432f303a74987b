import { isUtf8 } from 'node:buffer';
import { isRounded } from '../base/json.ts';
import type { WireReply } from '../contract/wire.ts';

/** What invalid bytes are decoded as. */
const replacement = '\uFFFD';

/** Where a reply whose body is JSON first has bytes that are not UTF-8; undefined if it has none. */
export function invalidUtf8In({ body, bytes }: WireReply): string | undefined {
  if (bytes === undefined || !body.includes(replacement) || isUtf8(bytes)) return undefined;
  const at = firstInvalid(body, bytes);
  const place = placeIn(body, at.index);
  return `the reply is not UTF-8 at byte ${at.byte} (${place}); unreadable characters became ${replacement}`;
}

/** An amount that may be rounded: with more digits than are always exact, or an exponent. */
const longAmount = /("amount"\s*:\s*)(-?\d(?:[\d.]{15}|[\d.]*[eE])[\d.eE+-]*)/g;

/** A JSON text in which amounts that a JavaScript number would round are texts, which are read digit by digit. */
export function withExactAmounts(body: string): string {
  return body.replaceAll(longAmount, (written, name: string, digits: string) =>
    isRounded(digits) ? `${name}"${digits}"` : written,
  );
}

/** Where the first bytes are that are not UTF-8: the service may have sent the replacement itself before. */
function firstInvalid(body: string, bytes: Buffer) {
  const sent = Buffer.from(replacement);
  let [index, byte, before] = [0, 0, 0];
  for (;;) {
    index = body.indexOf(replacement, before);
    byte += Buffer.byteLength(body.slice(before, index));
    if (!bytes.subarray(byte, byte + sent.length).equals(sent)) return { index, byte };
    byte += sent.length;
    before = index + 1;
  }
}

/** A text without its end is one, too, so that no text is searched twice. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],]/g;

/** The path (`data[3].text`) of the name or text in a JSON text that has the character at `position`. */
function placeIn(text: string, position: number): string {
  // For each object the name of its member, undefined before it comes; for each array the index.
  const steps: (string | number | undefined)[] = [];
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const last = steps.at(-1);
    if (token === '{') steps.push(undefined);
    else if (token === '[') steps.push(0);
    else if (token === '}' || token === ']') steps.pop();
    else if (token === ',') steps[steps.length - 1] = typeof last === 'number' ? last + 1 : undefined;
    else {
      if (last === undefined && steps.length > 0) steps[steps.length - 1] = String(JSON.parse(token));
      if (index + token.length > position) return pathOf(steps);
    }
  }
  return pathOf([]);
}

function pathOf(steps: readonly (string | number | undefined)[]): string {
  const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return path === '' ? 'the reply' : path.replace(/^\./, '');
}

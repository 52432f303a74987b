import { isUtf8 } from 'node:buffer';
import { isRounded } from '../base/json.ts';
import type { WireReply } from '../contract/wire.ts';

/** The character that replaces invalid bytes. */
const replacement = '\uFFFD';

/** The position of the first invalid UTF-8 in a JSON reply; undefined if there is none. */
export function invalidUtf8In({ body, bytes }: WireReply): string | undefined {
  if (bytes === undefined || !body.includes(replacement) || isUtf8(bytes)) return undefined;
  const at = firstInvalid(body, bytes);
  const place = placeIn(body, at.index);
  return `the reply is not UTF-8 at byte ${at.byte} (${place}); unreadable characters became ${replacement}`;
}

/** An amount that may be rounded: it has an exponent, or more digits than are always exact. */
const longAmount = /("amount"\s*:\s*)(-?\d(?:[\d.]{15}|[\d.]*[eE])[\d.eE+-]*)/g;

/** A JSON text in which amounts that a JavaScript number would round are quoted, so that every digit is kept. */
export function withExactAmounts(body: string): string {
  return body.replaceAll(longAmount, (written, name: string, digits: string) =>
    isRounded(digits) ? `${name}"${digits}"` : written,
  );
}

/** The first invalid bytes: the service may have sent the replacement character itself before them. */
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

/** Also matches an unterminated text, so that no text is searched twice. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],]/g;

/** The path (`data[3].text`) of the name or text that contains the character at `position` of a JSON text. */
function placeIn(text: string, position: number): string {
  // For each object the name of its current member, undefined before the first; for each array the index.
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

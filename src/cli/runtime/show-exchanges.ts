import { redactSecrets } from '../../base/redact.ts';
import type { RecordedExchange } from '../../client/record.ts';
import { createPersonRedactor } from '../../client/redact-persons.ts';
import type { Notices } from '../../output/terminal/notices.ts';
import { grouped } from '../../output/terminal/totals.ts';

/** Characters of a body that are shown. */
const shownLengthMaximum = 4_000;

/**
 * Shows every exchange with its bodies, for `--debug=2`: personal data as in recordings, secrets never. `secrets` may
 * grow meanwhile.
 */
export function showExchanges(
  notices: Notices,
  secrets: Iterable<string>,
): (exchange: RecordedExchange) => void {
  const redact = createPersonRedactor();
  return ({ request, tookMs, reply }) => {
    const isReplied = typeof reply !== 'string';
    const body = isReplied ? reply.body : undefined;
    const { path, asked, answered } = redact({ path: request.path, asked: request.body, answered: body });
    const result = isReplied ? reply.status : reply;
    const lines = [
      `${request.method} ${path} -> ${result} in ${Math.round(tookMs)} ms`,
      ...bodyLine('request', request.body, asked, secrets),
      ...bodyLine('reply', body, answered, secrets),
    ];
    notices.info(lines.join('\n'));
  };
}

/** `redacted` is undefined for a body that is no JSON. */
function bodyLine(
  name: string,
  body: string | undefined,
  redacted: string | undefined,
  secrets: Iterable<string>,
): readonly string[] {
  if (body === undefined || body === '') return [];
  const title = `${name} body, ${grouped(Buffer.byteLength(body))} bytes`;
  if (redacted === undefined) return [`${title}, left out: no JSON, so it may contain personal data`];
  // Before it is cut: a part of a secret would not be recognized.
  const text = redactSecrets(redacted, secrets);
  if (text.length <= shownLengthMaximum) return [`${title}: ${text}`];
  const shown = text.slice(0, shownLengthMaximum);
  return [`${title}, cut at ${grouped(shownLengthMaximum)} characters: ${shown}…`];
}

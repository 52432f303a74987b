import { Failure } from '../base/failure.ts';
import { openHttpConnections } from '../base/http-connections.ts';
import { sendRequest } from '../base/http-request.ts';
import { ownHeaders } from '../base/own-headers.ts';
import { isThisMachine } from '../base/this-machine.ts';
import { readTraceparent } from '../base/trace-context.ts';
import { answerBytesMaximum, httpAnswer, lostAnswer } from './http-answer.ts';
import { type Payer, type PayerCapabilities, paymentDocument, redacted } from './payer.ts';
import { outcomeAfterTimeLimit } from './program-outcome.ts';

export interface HttpPayerOptions {
  readonly url: URL;
  /** Sent with every call; their values are secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Statuses besides 2xx that mean paid, such as 409 for a key that was paid before. */
  readonly paidStatuses: ReadonlySet<number>;
  /** The time limit from the start of a call to the last byte of its response, in milliseconds. */
  readonly timeoutMs: number;
  readonly promises: Omit<PayerCapabilities, 'name'>;
  /** The source of TRACEPARENT and the proxy variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly lookUp: Payer['lookUp'];
  /** The folder beside the ledger with the call records of an earlier payer that was a program. */
  readonly callRecordsFolder: string;
  /** Credentials besides those in headers and address, redacted in all messages. */
  readonly secrets: Iterable<string>;
}

/** Concurrent calls. More calls wait, within their own time limit. */
const connectionsMaximum = 64;
/** The time for which an idle connection may be reused, in milliseconds: payers close theirs after seconds. */
const idleMs = 500;

/**
 * Opens a service that moves the money. POSTs the payment document once, with the key as `Idempotency-Key`. Redirects
 * are not followed. There are no call records.
 * @throws Failure('config') as `openHttpConnections`.
 */
export async function openHttpPayer(options: HttpPayerOptions): Promise<Payer> {
  const { url, headers, paidStatuses, timeoutMs, promises, lookUp, callRecordsFolder } = options;
  // A refusal of the second call is inconclusive, unless the payer is known to replay its first response.
  const isRepeatable = promises.idempotentForMs !== null && promises.replaysResponse;
  const connections = await openHttpConnections(url, {
    connections: connectionsMaximum,
    // The payer may close an idle connection just as a payment is sent, and its arrival would be unknown.
    pipelining: isRepeatable ? 1 : 0,
    idleMs,
    timeoutMs,
    replyBytesMaximum: answerBytesMaximum,
    env: options.env,
  });
  const trace = readTraceparent(options.env['TRACEPARENT']);
  // More secrets may become known while the payer is open.
  const secrets = () => [...Object.values(headers), ...url.searchParams.values(), ...options.secrets];
  return {
    capabilities: { name: `http ${url.origin}${url.pathname}`, ...promises },
    timeoutMs,
    pay: async (payment, mayLeave) => {
      const request = {
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        body: paymentDocument(payment),
        headers: {
          ...ownHeaders(trace),
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json',
          'idempotency-key': payment.key,
        },
      } as const;
      const reply = await sendRequest(connections, request, { timeoutMs, mayLeave });
      if ('reason' in reply) return redacted(lostAnswer(reply, timeoutMs), secrets());
      const answer = { status: reply.status, body: reply.body.toString() };
      return redacted(httpAnswer(answer, { paidStatuses, payment }), secrets());
    },
    recoveredOutcome: (payment) =>
      outcomeAfterTimeLimit({ callRecordsFolder, timeoutMs, secrets: secrets() }, payment),
    forget: async () => undefined,
    lookUp,
    close: () => connections.dispatcher.destroy(),
  };
}

/**
 * Reads the address of a payer; `flag` names it in messages.
 * @throws Failure('config') for text that is not an address, for plain http to another machine, and for credentials in
 *   the address, which would appear in every log.
 */
export function payerUrl(text: string, flag: string): URL {
  const example = `write it as ${flag} https://host/path`;
  // Text before an @ may be a password.
  const shown = text.replace(/^.*@/s, '…@');
  if (!URL.canParse(text)) throw new Failure('config', `${flag}: '${shown}' is not an address`, example);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new Failure(
      'config',
      `${flag} contains a user name or password`,
      'put them into a file that only this user can read, as the line Authorization: …, ' +
        'and name it with the setting payer-header-file',
    );
  }
  const isHttp = url.protocol === 'http:';
  if (!isHttp && url.protocol !== 'https:') {
    throw new Failure('config', `${flag}: '${shown}' is neither https nor http`, example);
  }
  if (isHttp && !isThisMachine(url.hostname)) {
    throw new Failure(
      'config',
      `${flag}: plain http to another machine would expose payments and credentials`,
      example,
    );
  }
  return url;
}

/** Headers that every call sets itself. */
const callHeaders: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads a file of `Name: value` lines; ignores blank lines and lines that begin with #. `path` is for messages, which
 * show the number of a line and never its text.
 * @throws Failure('config') for a line that is not a header, and for a header that every call sets itself.
 */
export function readHeaderLines(text: string, path: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const place = { file: path, line: index + 1 };
    const [, name = '', value = ''] =
      /^([!#$%&'*+.^`|~\w-]+):[ \t]*(?![ \t])([\x20-\x7e]*)$/.exec(line.trimEnd()) ?? [];
    if (name === '' || value === '') {
      throw new Failure(
        'config',
        `${path}:${index + 1} is not a header`,
        'write one per line, such as Authorization: Bearer …',
        place,
      );
    }
    if (callHeaders.has(name.toLowerCase())) {
      throw new Failure(
        'config',
        `${path}:${index + 1}: ${name} is set by every call itself`,
        'remove the line',
        place,
      );
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

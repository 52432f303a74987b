import { redactSecrets } from '../base/redact.ts';
import type { Transport, WireReply } from '../contract/wire.ts';

/**
 * Adds `Authorization: Basic <token>` to every request (API 5), and removes the credential from error replies: an error
 * page that echoes the request must not leak it into messages and reports.
 */
export function withAuth(transport: Transport, token: string): Transport {
  const authorization = `Basic ${token}`;
  const secrets = secretsIn(token);
  return async (request, signal) => {
    const reply = await transport({ ...request, headers: { ...request.headers, authorization } }, signal);
    return reply.status >= 200 && reply.status < 300 ? reply : withoutSecrets(reply, secrets);
  };
}

/** The maximum length of an error body to keep, in characters: the search for secrets must not take seconds. */
const errorBodyLengthMaximum = 1_000_000;

function withoutSecrets({ status, headers, body }: WireReply, secrets: readonly string[]): WireReply {
  const shown = Object.entries(headers).map(([name, value]) => [name, redactSecrets(value, secrets)]);
  return {
    status,
    headers: Object.fromEntries(shown),
    body: redactSecrets(body.slice(0, errorBodyLengthMaximum), secrets),
  };
}

/** The token, and the key id and secret in it (assumption: Basic token derivation). */
export function secretsIn(token: string): readonly string[] {
  const pair = Buffer.from(token, 'base64').toString();
  return pair.includes(':') ? [token, pair, pair.slice(pair.indexOf(':') + 1)] : [token];
}

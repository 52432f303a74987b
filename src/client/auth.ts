import { redactSecrets } from '../base/redact.ts';
import type { Transport, WireReply } from '../contract/wire.ts';

/**
 * Adds `Authorization: Basic <token>` to every request (API 5), and takes the credential out of replies that refuse: an
 * error page which repeats the request must not carry it into messages and reports.
 */
export function withAuth(transport: Transport, token: string): Transport {
  const authorization = `Basic ${token}`;
  const secrets = spellingsOf(token);
  return async (request, signal) => {
    const reply = await transport({ ...request, headers: { ...request.headers, authorization } }, signal);
    return reply.status >= 200 && reply.status < 300 ? reply : withoutSecrets(reply, secrets);
  };
}

function withoutSecrets({ status, headers, body }: WireReply, secrets: readonly string[]): WireReply {
  const shown = Object.entries(headers).map(([name, value]) => [name, redactSecrets(value, secrets)]);
  return { status, headers: Object.fromEntries(shown), body: redactSecrets(body, secrets) };
}

/** The token, and the key id and secret it is made of (assumption: Basic token derivation), also as JSON and addresses write them. */
function spellingsOf(token: string): string[] {
  const pair = Buffer.from(token, 'base64').toString();
  const parts = pair.includes(':') ? [pair, pair.slice(pair.indexOf(':') + 1)] : [];
  return [token, ...parts].flatMap((text) => [text, text.replaceAll('/', '\\/'), encodeURIComponent(text)]);
}

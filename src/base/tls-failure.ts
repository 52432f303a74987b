import { Failure, messageOf, systemCodeOf } from './failure.ts';
import { isThisMachine } from './this-machine.ts';

/** Node.js error codes for a certificate without an authority known to this machine. */
const authorityCodes: ReadonlySet<string | undefined> = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** True if an error, or one of its causes, means that the authority of a certificate is unknown here. */
export function isAuthorityUnknown(error: unknown): boolean {
  return (
    error instanceof Error && (authorityCodes.has(systemCodeOf(error)) || isAuthorityUnknown(error.cause))
  );
}

/** The remedy for an unknown authority. */
export const authorityRemedy =
  'if the certificate was issued by an authority of your company or of the service, name the file with the ' +
  'certificate of that authority (PEM): NODE_EXTRA_CA_CERTS=FILE; otherwise somebody else may be answering';

/**
 * Refuses a connection to another machine if Node.js is set not to check certificates: like plain http, it would expose
 * everything to anyone on the way.
 * @throws Failure('config')
 */
export function requireCertificateCheck(
  { protocol, hostname }: URL,
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0' || protocol !== 'https:' || isThisMachine(hostname)) return;
  throw new Failure(
    'config',
    `NODE_TLS_REJECT_UNAUTHORIZED=0 disables certificate checks, and would show the credential to anyone who poses ` +
      `as ${hostname}`,
    'unset NODE_TLS_REJECT_UNAUTHORIZED; for an authority of your own, name the file with its certificate (PEM): ' +
      'NODE_EXTRA_CA_CERTS=FILE',
  );
}

/** Explains why an encrypted connection to `peer` failed; undefined for other errors. */
export function tlsFailureInWords(error: Error, peer: string): string | undefined {
  const code = systemCodeOf(error) ?? '';
  if (/WRONG_VERSION_NUMBER|EPROTO/.test(code)) return `${peer} does not speak https`;
  const isOfTls =
    /^ERR_(?:SSL|TLS)_/.test(code) || authorityCodes.has(code) || /certificate/i.test(error.message);
  return isOfTls ? `no secure connection to ${peer} (${code}): ${opensslReason(error)}` : undefined;
}

/** The message of an error. For an OpenSSL error, only its reason, without library, function and file. */
export function opensslReason(error: unknown): string {
  const message = messageOf(error);
  const isOfOpenssl = error instanceof Error && 'reason' in error && message.includes(':error:');
  return isOfOpenssl ? String(error.reason) : message;
}

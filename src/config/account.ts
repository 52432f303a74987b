import { crypto } from '../base/crypto.ts';

/**
 * Identifies the account of a credential without revealing the credential. A token made of key id and secret is
 * identified by its id, so a renewed secret is the same account (assumption: Basic token derivation).
 */
export function accountOf(token: string): string {
  const pair = Buffer.from(token, 'base64').toString();
  const keyId = /^([\x21-\x39\x3b-\x7e]+):[\x20-\x7e]+$/.exec(pair)?.[1];
  return crypto()
    .hash('sha256', `account ${keyId ?? token}`, 'base64url')
    .slice(0, 16);
}

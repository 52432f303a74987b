import type { Transport } from '../contract/wire.ts';

/** Adds `Authorization: Basic <token>` to every request (API 5). */
export function withAuth(transport: Transport, token: string): Transport {
  const authorization = `Basic ${token}`;
  return (request, signal) =>
    transport({ ...request, headers: { ...request.headers, authorization } }, signal);
}

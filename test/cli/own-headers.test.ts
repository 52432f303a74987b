import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { version } from '../../src/base/version.ts';
import { serveHttp } from '../client/loopback.ts';
import { openLedgerShop } from './ledger-shop.ts';
import { openPlace } from './open-place.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = `00-${traceId}-00f067aa0ba902b7-01`;
const ofTrace = new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`);
const ofUs = `reviewctl/${version}`;

it('every request to the service and to a monitor says who asks, and belongs to the trace of the caller', async () => {
  const place = await openPlace();
  const { url, seen } = await serveHttp((_, outgoing) => {
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end('{"data":[],"pageInfo":{"hasNextPage":false,"endCursor":null},"totalCount":0}');
  });
  const env = { ...place.env, REVIEWCTL_BASE_URL: url, TRACEPARENT: parent };
  await place.run(`reviews list --since-last x -c ping=${url}/monitor`, { env });
  expect(seen.map(({ url: path }) => path)).toContain('/monitor');
  for (const { headers } of seen) {
    expect(headers).toMatchObject({ 'user-agent': ofUs, traceparent: expect.stringMatching(ofTrace) });
  }
  expect(new Set(seen.map(({ headers }) => headers['traceparent'])).size).toBe(seen.length);
  seen.length = 0;
  await place.run('reviews list', { env: { ...env, TRACEPARENT: 'nonsense' } });
  expect(seen[0]?.headers).toMatchObject({ 'user-agent': ofUs });
  expect(seen[0]?.headers).not.toHaveProperty('traceparent');
});

it('a payer takes part in the trace: a program by its environment, a service by its header', async () => {
  const shop = await openLedgerShop({ reviews: 4 });
  const env = { ...shop.env, TRACEPARENT: parent };
  await shop.run('ledger init');
  const program = shop.write(
    'trace.sh',
    `#!/bin/sh\nread -r call\necho "$TRACEPARENT" >> ${shop.folder}/traces\nexit 75\n`,
  );
  chmodSync(program, 0o700);
  await shop.run(`rewards settle --payer-command ${program}`, { env });
  const traces = readFileSync(join(shop.folder, 'traces'), 'utf8').trimEnd().split('\n');
  expect(traces.length).toBeGreaterThan(0);
  for (const trace of traces) expect(trace).toMatch(ofTrace);
  const { url, seen } = await serveHttp((_, outgoing) => outgoing.writeHead(503).end());
  await shop.run(`rewards settle --payer-url ${url}/pay`, { env });
  expect(seen.length).toBeGreaterThan(0);
  for (const { headers } of seen)
    expect(headers).toMatchObject({ 'user-agent': ofUs, traceparent: expect.stringMatching(ofTrace) });
});

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import { readFlags } from '../../src/cli/flags/flags.ts';
import { payerFlags } from '../../src/cli/flags/payer-flags.ts';
import { openPayer } from '../../src/cli/templates/settle/open-payer.ts';
import { SkippingClock } from '../client/skipping-clock.ts';
import { capturedStreams } from '../output/captured-streams.ts';
import { paymentOf } from './payments.ts';
import { shellProgram, testFolder } from './programs.ts';

/** Opens the payer of these flags, as a command does. */
async function openWith(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
) {
  const sources = { flags, env, project: {}, profile: { name: 'default', settings: {} } };
  const secrets = new Set<string>();
  const context = {
    streams: capturedStreams({ env }),
    stdin: process.stdin,
    env,
    cwd: '/',
    clock: new SkippingClock(),
    random: seededRandom(1),
    stopping: new AbortController().signal,
  };
  const payer = await openPayer(
    { context, flags: readFlags(payerFlags, sources), secrets, sources },
    { callRecordsFolder: join(testFolder(), 'evidence') },
  );
  onTestFinished(() => payer.close());
  return { payer, secrets };
}

describe('the flags of a payer', () => {
  it.each([
    [{}, 'no payer is configured', '--payer-command "/path/to/program"'],
    [
      { payerCommand: '/bin/true', payerUrl: 'https://pay.example.com' },
      'one payer',
      'remove one of them: --payer-url',
    ],
  ])('%j lack something, and the hint names it', async (flags, message, hint) => {
    await expect(openWith(flags)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });

  it('promise nothing that was not declared', async () => {
    const { payer } = await openWith({ payerCommand: shellProgram('exit 0') });
    expect(payer.capabilities).toMatchObject({
      idempotentForMs: null,
      replaysResponse: false,
      lookupDelayMs: 86_400_000,
    });
    expect(payer.lookUp).toBeUndefined();
  });

  it('carry every declaration, for longer than a timer can wait', async () => {
    const { payer } = await openWith({
      payer: 'EXEC',
      payerCommand: shellProgram('exit 0'),
      payerIdempotent: '365d',
      payerReplaysResponse: true,
      payerLookupDelay: '2h',
      payerTimeout: '10s',
      payerLookupCommand: shellProgram(`echo '{"outcome":"not-found"}'`),
    });
    expect(payer.capabilities).toMatchObject({
      idempotentForMs: 365 * 86_400_000,
      replaysResponse: true,
      lookupDelayMs: 7_200_000,
    });
    // The time-out and 5 seconds more, in which a killed program ends.
    expect(payer.timeoutMs).toBe(15_000);
    expect(await payer.lookUp?.(paymentOf())).toEqual({ kind: 'not-found' });
  });

  it('name a file of headers that only its owner may read', async () => {
    const file = join(testFolder(), 'headers');
    writeFileSync(file, 'Authorization: Bearer sk-live-4f9a77c21b\n');
    chmodSync(file, 0o640);
    const flags = { payerUrl: 'https://pay.example.com/a', payerHeaderFile: file };
    await expect(openWith(flags)).rejects.toMatchObject({
      kind: 'config',
      hint: `chmod 600 ${file}; mount a secret of Kubernetes below /run/secrets, with defaultMode: 0400`,
    });
    chmodSync(file, 0o600);
    const { secrets } = await openWith(flags);
    expect([...secrets]).toEqual(['Bearer sk-live-4f9a77c21b']);
    await expect(openWith({ ...flags, payerHeaderFile: `${file}.missing` })).rejects.toMatchObject({
      kind: 'unreadable-path',
      hint: 'check payer-header-file',
    });
  });

  it('make a secret of what they pass to a program', async () => {
    const { secrets } = await openWith(
      { payerCommand: shellProgram('exit 0'), payerEnv: ['SHOP_KEY'] },
      { SHOP_KEY: 'k-4711' },
    );
    expect([...secrets]).toEqual(['k-4711']);
  });

  it.each([
    [
      { payerIdempotent: 'forever' },
      "--payer-idempotent: expected a duration such as 30m, 24h or 90d, not 'forever'",
    ],
    [{ payerPaidStatus: ['200'] }, "--payer-paid-status: expected 400 to 499, not '200'"],
  ])('%j are refused', async (flags, message) => {
    await expect(openWith(flags)).rejects.toThrow(message);
  });
});

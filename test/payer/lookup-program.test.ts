import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lookupProgram } from '../../src/payer/lookup-program.ts';
import { findPayerProgram } from '../../src/payer/payer-program.ts';
import { paymentOf } from './payments.ts';
import { shellProgram, testFolder } from './programs.ts';

function lookup(lines: string, { timeoutMs = 20_000 } = {}) {
  const command = shellProgram(lines);
  const env = { PATH: process.env['PATH'], SHOP_KEY: 'sk-live-4f9a77c21b' };
  const program = findPayerProgram({
    command,
    flag: 'payer-lookup-command',
    env,
    passedVariables: ['SHOP_KEY'],
  });
  return lookupProgram({ program, timeoutMs, secrets: [] });
}

describe('a look into the books', () => {
  it.each([
    [`echo '{"outcome":"paid","ref":"R-1"}'`, { kind: 'paid', ref: 'R-1' }],
    [`echo '{"outcome":"not-found"}'`, { kind: 'not-found' }],
    [
      `echo '{"outcome":"not-found"}'; exit 1`,
      { kind: 'undecided', message: 'the lookup ended with exit code 1' },
    ],
    [
      `echo '{"outcome":"paid"}'; echo no route >&2; exit 75`,
      { kind: 'undecided', message: 'the lookup ended with exit code 75: no route' },
    ],
    [
      `echo '{"outcome":"refused"}'`,
      { kind: 'undecided', message: "the lookup's last line says neither paid nor not-found" },
    ],
    ['', { kind: 'undecided', message: "the lookup's last line says neither paid nor not-found" }],
    [
      'echo "bad token $SHOP_KEY" >&2; exit 2',
      { kind: 'undecided', message: 'the lookup ended with exit code 2: bad token [redacted]' },
    ],
  ])('by %s finds %j', async (lines, answer) => {
    expect(await lookup(lines)(paymentOf())).toEqual(answer);
  });

  it('decides nothing where it is killed', async () => {
    const answer = await lookup('kill -TERM $$')(paymentOf());
    expect(answer).toEqual({ kind: 'undecided', message: 'the lookup was killed by SIGTERM' });
  });

  it('decides nothing where it finds no room for its answer', async () => {
    const prepared = lookup('exit 0');
    vi.stubEnv('TMPDIR', join(testFolder(), 'none'));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await prepared(paymentOf())).toEqual({
      kind: 'undecided',
      message: expect.stringMatching(/^the lookup could not be made: ENOENT/),
    });
  });

  it('decides nothing where it takes too long', async () => {
    const answer = await lookup('exec sleep 60', { timeoutMs: 100 })(paymentOf());
    expect(answer).toEqual({ kind: 'undecided', message: 'the lookup did not end in time and was killed' });
  });

  it('brings the same key and document as a payment, and leaves nothing behind', async () => {
    const folder = testFolder();
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const echoing = `read -r line; case $line in *'"amount":1500,'*"$REVIEWCTL_PAYMENT_KEY"*) echo '{"outcome":"paid"}';; esac`;
    expect(await lookup(echoing)(paymentOf())).toEqual({ kind: 'paid' });
    expect(readdirSync(folder).filter((name) => name.startsWith('reviewctl-lookup-'))).toEqual([]);
  });
});

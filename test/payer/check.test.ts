import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanEnvironment } from '../cli/run-cli.ts';
import { runInProcess } from '../cli/run-program.ts';
import { serveHttp } from '../client/loopback.ts';
import { shellProgram, testFolder, textAt } from './programs.ts';

async function check(...words: readonly string[]) {
  const env = { PATH: process.env['PATH'] ?? '', ...cleanEnvironment(testFolder()) };
  const { exitCode, stdout, stderr } = await runInProcess(['payer', 'check', ...words], { env });
  const calls = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { exitCode, stderr, calls, answers: calls.map(({ answer }) => answer) };
}

/** Refuses a payment of zero, and runs `lines` for any other. */
function exec(lines: string, folder = testFolder()) {
  const program = shellProgram(
    `read -r line; echo "$line" >> told; case $line in *'"amount":0,'*) exit 10;; esac; ${lines}`,
    { folder },
  );
  return ['--member', 'tester7', '--yes', '--payer-command', program] as const;
}

const counting = `echo x >> n; echo "{\\"outcome\\":\\"paid\\",\\"ref\\":\\"R-$(grep -c x n)\\"}"`;

describe('a check of a payer', () => {
  it('finds one that honours keys, and shows what was sent', async () => {
    const folder = testFolder();
    const { exitCode, stderr, calls, answers } = await check(
      ...exec(`echo '{"outcome":"paid","ref":"R-1"}'`, folder),
    );
    expect({ exitCode, answers }).toEqual({ exitCode: 0, answers: ['refused', 'paid', 'paid'] });
    expect(stderr).toBe(
      'both calls returned receipt R-1: the payer is idempotent; declare the period its provider guarantees: -c payer-idempotent=24h\n',
    );
    const told = textAt(join(folder, 'told'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(calls.map(({ sent }) => sent)).toEqual(told);
    expect(told[1]).toMatchObject({
      amount: 1,
      memberOriginId: 'tester7',
      order: { originId: 'reviewctl-payer-check' },
    });
    expect(told[2]).toEqual(told[1]);
    expect(told[1].key).toMatch(/^rv1-check-[a-z2-7]{24}$/);
    expect(told[0].key).not.toBe(told[1].key);
  });

  it.each([
    ['pays twice', counting, [], 0, 'one key returned two receipts, R-1 and R-2'],
    [
      'pays twice and is declared not to',
      counting,
      ['-c', 'payer-idempotent=24h'],
      7,
      'remove the setting payer-idempotent',
    ],
    ['gives no receipt', 'exit 0', ['-c', 'payer-idempotent=24h'], 7, 'without a distinct receipt'],
    [
      'refuses a key it has paid',
      `[ -e n ] && exit 10; ${counting}`,
      [],
      0,
      "the repeated key was answered 'refused'",
    ],
    ['breaks at a key it has paid', `[ -e n ] && exit 1; ${counting}`, [], 11, 'may have paid again'],
    ['refuses', 'exit 10', [], 6, 'the payer refused the payment: the payer ended with exit code 10'],
    ['asks to come back', 'exit 75', [], 5, 'nothing was paid: '],
    ['breaks', 'exit 1', [], 11, 'the payer may or may not have paid'],
  ])('finds one that %s', async (_, lines, words, code, said) => {
    const { exitCode, stderr } = await check(...exec(lines), ...words);
    expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringContaining(said) });
  });
});

describe('a check of a payer over HTTP', () => {
  it('finds one that says paid to everything, before any money is asked for', async () => {
    const { url, seen } = await serveHttp((_, outgoing) => outgoing.end());
    const { exitCode, stderr } = await check(...http(url));
    expect(exitCode).toBe(7);
    expect(stderr).toContain('its answers prove nothing; the check paid no money');
    expect(seen.map(({ body }) => JSON.parse(body).amount)).toEqual([0]);
  });

  it('finds one that does not know us', async () => {
    const { url, seen } = await serveHttp((_, outgoing: ServerResponse) => outgoing.writeHead(401).end());
    const { exitCode, stderr } = await check(...http(url));
    expect({ exitCode, calls: seen.length }).toEqual({ exitCode: 2, calls: 1 });
    expect(stderr).toContain('nothing was paid: the payer answered 401');
  });
});

describe('a check of a payer and its books', () => {
  it.each([
    [
      `echo '{"outcome":"paid"}'`,
      7,
      'the lookup does not answer not-found for a key that was never paid: paid',
    ],
    [
      `read -r line; grep -qF "$line" told && echo '{"outcome":"paid","ref":"R-1"}' || echo '{"outcome":"not-found"}'`,
      0,
      'is idempotent',
    ],
  ])('looks into them with %s', async (lines, code, said) => {
    const folder = testFolder();
    const words = exec(`echo '{"outcome":"paid","ref":"R-1"}'`, folder);
    const lookup = shellProgram(`cd '${folder}'; ${lines}`);
    const { exitCode, stderr } = await check(...words, '-c', `payer-lookup-command=${lookup}`);
    expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringContaining(said) });
  });

  it.each([
    [['--yes'], 'a check pays a small amount and needs a member'],
    [['--member', 'm'], 'confirmation required: Pay 1 to member m through exec '],
    [['--member', 'm', '--amount', '2.5', '--no-input'], 'Pay 2.5 to member m'],
    [['--member', 'm', '--yes', '--amount', '0'], 'expected an amount above zero'],
    [['--member', 'm', '--yes', '--amount', 'one'], 'expected an amount such as 1'],
  ])('with %j pays nothing', async (words, said) => {
    const folder = testFolder();
    const program = shellProgram('touch called', { folder });
    const { exitCode, stderr } = await check(...words, '--payer-command', program);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(said) });
    expect(textAt(join(folder, 'called'))).toBe('');
  });
});

function http(url: string) {
  return ['--member', 'tester7', '--yes', '--payer-url', url] as const;
}

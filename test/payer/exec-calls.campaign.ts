import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPayerProgram } from '../../src/payer/payer-program.ts';
import { processIdentity } from '../../src/payer/process-identity.ts';
import { runPayerProgram } from '../../src/payer/run-payer-program.ts';
import { paymentOf } from './payments.ts';
import { execPayer, shellProgram, testFolder, textAt } from './programs.ts';

const payment = paymentOf();
const { key } = payment;

describe('a called program', () => {
  it('sees nothing of our environment but what it needs, what was named, and the key', async () => {
    const folder = testFolder();
    const command = shellProgram(`env > '${folder}/env'`, { folder });
    const env = {
      PATH: process.env['PATH'],
      HOME: '/h',
      LANG: 'ko_KR.UTF-8',
      TZ: 'Asia/Seoul',
      TMPDIR: '/tmp',
      SHOP_KEY: 'k',
      OTHER_KEY: 'o',
      NODE_OPTIONS: '--no-warnings',
      REVIEWCTL_TOKEN: 'token',
      REVIEWCTL_BASE_URL: 'https://a.example',
    };
    const payer = await execPayer({ command, env, passedVariables: ['SHOP_KEY'] });
    await payer.pay(paymentOf());
    // Variables that a shell sets by itself.
    const own = /^(?:_|PWD|OLDPWD|SHLVL)=/;
    const seen = textAt(join(folder, 'env'))
      .split('\n')
      .filter((line) => line !== '' && !own.test(line));
    expect(seen.toSorted()).toEqual(
      [
        'HOME=/h',
        'LANG=ko_KR.UTF-8',
        `PATH=${process.env['PATH']}`,
        `REVIEWCTL_PAYMENT_KEY=${key}`,
        'SHOP_KEY=k',
        'TMPDIR=/tmp',
        'TZ=Asia/Seoul',
      ].toSorted(),
    );
  });

  it('runs in its own folder, and leads a process group of its own', async () => {
    const folder = testFolder();
    const command = shellProgram(`pwd > where; cut -d ' ' -f 1,5 /proc/$$/stat > group`, { folder });
    await (await execPayer({ command })).pay(paymentOf());
    expect(textAt(join(folder, 'where')).trim()).toBe(folder);
    const [pid, group] = textAt(join(folder, 'group')).trim().split(' ');
    expect(group).toBe(pid);
  });

  it('gets its words as quoted, and no shell reads them', async () => {
    const folder = testFolder();
    const program = shellProgram(`printf '%s\\n' "$@" > words`, { folder });
    const command = `${program} one 'two  words' "a \\"b\\" $HOME *" --c='d;e' f\\ g ''`;
    await (await execPayer({ command })).pay(paymentOf());
    expect(textAt(join(folder, 'words'))).toBe('one\ntwo  words\na "b" $HOME *\n--c=d;e\nf g\n\n');
  });
});

describe('a call of a program', () => {
  it('that takes too long is killed with everything it started', async () => {
    const folder = testFolder();
    const command = shellProgram(`sleep 600 & echo $! > child; wait`, { folder });
    const payer = await execPayer({ command, timeoutMs: 2000 });
    expect(await payer.pay(paymentOf())).toEqual({
      kind: 'ambiguous',
      message: 'the payer did not end in time and was killed',
    });
    const child = Number(textAt(join(folder, 'child')));
    expect(child).toBeGreaterThan(0);
    await expect.poll(() => processIdentity(child)?.hasEnded ?? true).toBe(true);
  });

  it('that hangs after it said its outcome is in doubt', async () => {
    const command = shellProgram(`echo '{"outcome":"paid","ref":"R-1"}'; exec sleep 600`);
    const payer = await execPayer({ command, timeoutMs: 2000 });
    expect(await payer.pay(paymentOf())).toEqual({
      kind: 'ambiguous',
      message: "the payer did not end in time and was killed after it said 'paid'",
    });
  });

  it('gets no input where its process cannot be recorded', async () => {
    const folder = testFolder();
    const command = shellProgram('cat > told; echo end >> told', { folder });
    const program = findPayerProgram({ command, flag: '--f', env: process.env, passedVariables: [] });
    const end = await runPayerProgram({
      program,
      env: {},
      stdoutPath: join(folder, 'out'),
      stderrPath: join(folder, 'err'),
      input: 'pay',
      timeoutMs: 10_000,
      onSpawned: () => {
        throw new Error('no room');
      },
    });
    expect(end).toEqual({ kind: 'not-started', code: undefined, message: 'no room' });
    expect(textAt(join(folder, 'told'))).toBe('');
  });
});

/** A payer whose program waits for the file `go`. */
async function waitingPayer(callRecordsFolder: string) {
  const folder = testFolder();
  const command = shellProgram(
    `cat > told; while [ ! -e go ]; do sleep 0.02; done; echo '{"outcome":"paid","ref":"R-2"}'`,
    { folder },
  );
  const payer = await execPayer({ command, callRecordsFolder });
  const isTold = async () => {
    await expect.poll(() => textAt(join(folder, 'told'))).not.toBe('');
  };
  return { payer, command, isTold, go: () => writeFileSync(join(folder, 'go'), '') };
}

const refusal = { kind: 'refused', message: "the payer ended with exit code 0 after it said 'refused'" };
const foreign = {
  kind: 'ambiguous',
  message: "the payer has ended, and its answer is for another payment: id 'c0', not '4711'",
};

describe('the record of a call', () => {
  it('of a program still at work, seen by another process, is that it is at work', async () => {
    const evidence = join(testFolder(), 'evidence');
    const { payer, command, isTold, go } = await waitingPayer(evidence);
    const answer = payer.pay(paymentOf());
    await isTold();
    const other = await execPayer({ command, callRecordsFolder: evidence });
    expect((await other.recoveredOutcome(payment)).kind).toBe('running');
    go();
    expect(await answer).toEqual({ kind: 'paid', ref: 'R-2' });
    expect(await other.recoveredOutcome(payment)).toEqual({ kind: 'paid', ref: 'R-2' });
  });

  it.each([
    ['paid, without a word', 'exit 0', { kind: 'paid' }],
    ['a refusal', `echo '{"outcome":"refused"}'; exit 0`, refusal],
    ['a contradiction', `echo '{"outcome":"paid"}'; exit 10`, { kind: 'ended' }],
    ['an answer for another payment', `echo '{"id":"c0"}'; exit 0`, foreign],
    ['a failure after the word', `echo '{"outcome":"paid"}'; exit 1`, { kind: 'ended' }],
  ])('of a program whose end was seen goes by its exit code too: %s', async (_, lines, found) => {
    const payer = await execPayer({ command: shellProgram(lines) });
    await payer.pay(paymentOf());
    expect(await payer.recoveredOutcome(payment)).toEqual(found);
  });

  it('is for this user alone', async () => {
    const evidence = join(testFolder(), 'evidence');
    const payer = await execPayer({ command: shellProgram('exit 0'), callRecordsFolder: evidence });
    await payer.pay(paymentOf());
    const names = readdirSync(join(evidence, key)).toSorted();
    expect(names).toEqual(['1.end', '1.err', '1.out', '1.pid']);
    const modes = [evidence, join(evidence, key), ...names.map((name) => join(evidence, key, name))].map(
      (path) => (statSync(path).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['700', '700', '600', '600', '600', '600']);
  });
});

describe('the folder of call records', () => {
  it('is made by the first call, not before', async () => {
    const evidence = join(testFolder(), 'evidence');
    const payer = await execPayer({ command: shellProgram('exit 0'), callRecordsFolder: evidence });
    expect(await payer.recoveredOutcome(payment)).toEqual({ kind: 'none' });
    expect(existsSync(evidence)).toBe(false);
    await payer.pay(paymentOf());
    expect(existsSync(evidence)).toBe(true);
  });
});

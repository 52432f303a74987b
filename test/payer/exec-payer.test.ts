import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Deed, payerSuite } from './payer-suite.ts';
import { paymentOf } from './payments.ts';
import { execPayer, shellProgram, testFolder, textAt } from './programs.ts';

const secret = 'sk-live-4f9a77c21b';

const deeds: Readonly<Record<Deed, string>> = {
  pays: 'exit 0',
  'pays-with-receipt': `echo working; echo '{"outcome":"paid","ref":"R-17","message":"done"}'`,
  refuses: 'exit 10',
  'refuses-with-reason': `echo '{"outcome":"refused","message":"left the shop"}'; exit 10`,
  'asks-for-patience': 'exit 75',
  'does-not-know-us': '',
  'says-a-strange-outcome': `echo '{"outcome":"declined"}'`,
  'contradicts-itself': `echo '{"outcome":"paid"}'; exit 10`,
  breaks: 'exit 1',
  'answers-too-late': 'sleep 60',
  'writes-without-end': 'exec cat /dev/zero',
  'repeats-its-secret': 'echo "cannot log in with $SHOP_KEY" >&2; exit 1',
  'is-not-there': '',
};

/** Records the payment that arrives, then does `deed`. */
async function open(deed: Deed) {
  const folder = testFolder();
  const record = `line=$(cat); printf '%s\\t%s\\n' "$REVIEWCTL_PAYMENT_KEY" "$line" >> '${join(folder, 'arrived')}'`;
  const program = shellProgram(`${record}\n${deeds[deed]}`, { folder });
  const env = { PATH: process.env['PATH'], SHOP_KEY: secret };
  const payer = await execPayer({
    command: program,
    env,
    passedVariables: ['SHOP_KEY'],
    ...(deed === 'answers-too-late' ? { timeoutMs: 1000 } : {}),
  });
  if (deed === 'does-not-know-us') shellProgram('exit 0', { folder, mode: 0o644 });
  if (deed === 'is-not-there') rmSync(program);
  const arrived = () =>
    textAt(join(folder, 'arrived'))
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const [key, document = ''] = line.split('\t');
        return { key, document };
      });
  return { payer, arrived, secret };
}

payerSuite('a program', open);

it('a program that writes more than 1 MiB is killed at once, and says so', async () => {
  const folder = testFolder();
  const command = shellProgram('head -c 2097152 /dev/zero; exec sleep 600', { folder });
  const payer = await execPayer({ command, env: { PATH: process.env['PATH'] } });
  expect(await payer.pay(paymentOf())).toEqual({
    kind: 'ambiguous',
    message: 'the payer wrote more than 1 MiB',
  });
});

it('a program that wrote more than 1 MiB before anybody looked has not paid', async () => {
  const command = shellProgram(`head -c 2097152 /dev/zero; echo; echo '{"outcome":"paid"}'`);
  const payer = await execPayer({ command });
  expect(await payer.pay(paymentOf())).toMatchObject({ kind: 'ambiguous' });
});

it('what a program says has its place on the disk before it begins: without it, the exit code would decide', async () => {
  const folder = testFolder();
  const command = shellProgram(
    'size=$(stat -L -c %s /proc/$$/fd/1); echo $size > size; echo \'{"outcome":"refused"}\'',
    { folder },
  );
  const payer = await execPayer({ command });
  expect(await payer.pay(paymentOf())).toMatchObject({ kind: 'refused' });
  expect(Number(textAt(join(folder, 'size')))).toBeGreaterThanOrEqual(8192);
});

import { expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.ts';
import { checkPayer } from '../../src/payer/check-payer.ts';
import { execPayer, shellProgram, testFolder, textAt } from './programs.ts';

it('a check that is interrupted makes no further call', async () => {
  const folder = testFolder();
  const payer = await execPayer({ command: shellProgram('echo called >> calls; exit 10', { folder }) });
  const stopping = new AbortController();
  const calls = checkPayer(payer, {
    memberOriginId: 'tester7',
    amount: 10_000n,
    nowMs: 0,
    random: seededRandom(1),
    stopping: stopping.signal,
  });
  expect((await calls.next()).value).toMatchObject({ step: 'impossible' });
  stopping.abort(new Error('interrupted'));
  await expect(calls.next()).rejects.toThrow('interrupted');
  expect(textAt(`${folder}/calls`)).toBe('called\n');
});

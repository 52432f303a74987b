import { expect, it } from 'vitest';
import { pushAfterKill } from './rename-and-die.ts';

/** More than a renaming takes. */
const renamesMaximum = 10;

it('no push sends again after a renaming was killed at any point; the next command finishes it or it never began', async () => {
  const names: (string | undefined)[] = [];
  for (let position = 1; position <= renamesMaximum; position += 1) {
    names.push(await pushAfterKill(`before ${position}`), await pushAfterKill(`after ${position}`));
  }
  expect(names.at(-1)).toBeUndefined();
  expect(new Set(names)).toEqual(new Set(['shop', 'mall', undefined]));
}, 120_000);

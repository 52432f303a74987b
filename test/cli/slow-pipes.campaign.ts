import { expect, test } from 'vitest';
import { place, push } from './named-pipe.ts';

test.each(['<(sleep 6; cat items.csv)', '- < <(sleep 6; cat items.csv)'])(
  'a pipe whose writer is slow to begin is read: %s',
  async (input) => {
    const { stderr, exitCode } = await place().run(`${push} ${input}`);
    expect(stderr).toContain('1 order item');
    expect(exitCode).toBe(0);
  },
);

import { test } from 'vitest';
import { place, push } from './named-pipe.ts';
import { expectEnd } from './run-cli.ts';

test.each(['<(sleep 6; cat items.csv)', '- < <(sleep 6; cat items.csv)'])(
  'a pipe whose writer is slow to begin is read: %s',
  async (input) => {
    expectEnd(await place().run(`${push} ${input}`), 0, '1 order item');
  },
);

import { describe, expect, test } from 'vitest';
import type { Checkpoint } from '../../src/store/checkpoints/checkpoint.ts';
import { readCheckpoint, writeCheckpoint } from '../../src/store/checkpoints/stored-checkpoint.ts';
import { accountNote, checkpointPlace } from '../../src/store/open-store.ts';
import type { StateLocation } from '../../src/store/state/state-location.ts';

/** The contract of a state's notes; `open` makes a new, prepared one. */
export function stateNotesSuite(open: () => StateLocation | Promise<StateLocation>): void {
  describe('a checkpoint', () => {
    const subject = { account: 'shop', filters: { ratings: [1, 2] } };
    const checkpoint: Checkpoint = {
      sinceMs: 1_800_000_000_000,
      seen: new Map([['리뷰 \' " \\ 1', 1_800_000_000_001]]),
      clocks: { serviceMs: 5, ownMs: 7 },
    };

    test('is none before the first one is kept, and then the last one that was', async () => {
      const place = checkpointPlace(await open(), 'listReviews', 'nightly');
      expect(await readCheckpoint(place, subject)).toBeUndefined();
      await writeCheckpoint(place, subject, { sinceMs: undefined, seen: new Map() });
      await writeCheckpoint(place, subject, checkpoint);
      expect(await readCheckpoint(place, subject)).toEqual(checkpoint);
    });

    test('of one name and list says nothing of another', async () => {
      const state = await open();
      await writeCheckpoint(checkpointPlace(state, 'listReviews', 'nightly'), subject, checkpoint);
      for (const [list, name] of [
        ['listReviews', 'hourly'],
        ['listRewards', 'nightly'],
      ] as const)
        expect(await readCheckpoint(checkpointPlace(state, list, name), subject)).toBeUndefined();
    });

    test('of another account is refused', async () => {
      const place = checkpointPlace(await open(), 'listReviews', 'nightly');
      await writeCheckpoint(place, subject, checkpoint);
      await expect(readCheckpoint(place, { ...subject, account: 'other' })).rejects.toMatchObject({
        kind: 'config',
        message: expect.stringContaining('it is about the list of another account'),
        hint: expect.stringContaining('choose another name for --since-last'),
      });
    });
  });

  test('the account of a state is unknown at first, and then the one that was kept last', async () => {
    const state = await open();
    expect(await accountNote(state).read()).toBeUndefined();
    for (const account of ['one', 'one', 'two']) {
      await accountNote(state).keep(account);
      expect(await accountNote(state).read()).toBe(account);
    }
  });
}

import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { fastFolder } from '../fast-folder.ts';
import { findPostgres, makePostgres, sayThatPostgresIsMissing } from '../store/postgres-server.ts';
import { openPostgresGround } from './schedule-postgres.ts';
import { scheduleProperty } from './schedule-property.ts';
import { scenarios } from './schedule-scenarios.ts';

/*
 * Like schedules.campaign.ts, with the ledger in PostgreSQL. Sessions end instead of disks that fail, and no file is
 * copied.
 */

const schedules = 150;
const seed = 20_261_123;
/** All schedules together take a fraction of it. After a failure, shrinking would take too long. */
const limitMs = 480_000;

const bin = findPostgres();

if (bin === undefined)
  it('without a server, it is said that schedules were run on SQLite alone', () =>
    sayThatPostgresIsMissing('schedules'));
else {
  const folder = fastFolder();
  // Loss of power is not tested here, so writes need not wait for the disk.
  const server = await makePostgres(bin, ['fsync=off', 'synchronous_commit=off']);
  const ground = await openPostgresGround(server, folder);
  afterAll(async () => {
    await ground.close();
    await server.remove();
    rmSync(folder, { recursive: true });
  });

  it(
    'every promise is kept in a hundred and fifty schedules',
    async () => {
      const tally = { schedules: 0, turns: 0, kills: 0, payments: 0 };
      const property = scheduleProperty(ground, {
        note: ({ story, payments }) => {
          tally.schedules += 1;
          tally.turns += story.length;
          tally.payments += payments;
          tally.kills += story.filter((turn) => turn === 'somebody is killed').length;
        },
        those: scenarios.map((scenario) => ({ ...scenario, isMoved: false, settlers: 2 })),
      });
      await fc.assert(property, {
        seed,
        numRuns: schedules,
        interruptAfterTimeLimit: limitMs,
        endOnFailure: true,
      });
      console.log(
        `PostgreSQL: ${tally.schedules} schedules, ${tally.turns} turns, ${tally.kills} kills, ` +
          `${tally.payments} payments, 0 doubles, 0 broken promises`,
      );
      expect(tally.schedules).toBe(schedules);
      expect(tally.payments).toBeGreaterThan(schedules / 2);
    },
    limitMs + 60_000,
  );
}

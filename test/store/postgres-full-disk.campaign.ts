import { rmSync } from 'node:fs';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { uncapped } from './ledger-steps.ts';
import { wrongIn } from './ledger-suite.ts';
import { makePostgresLedger, openPostgresUntilEnd } from './postgres-place.ts';
import { makePostgres, type PostgresServer } from './postgres-server.ts';
import { settleOnce } from './settle-course.ts';
import { makeCallsFile, type SettlerFailure, startSettlerProcess } from './settler-process.ts';
import { fill, mountSmallDisk, unmount } from './small-disk.ts';
import { withPostgres } from './with-postgres.ts';

/* A server whose disk fills up while rewards are settled, for a payer that is not idempotent. */

const rewardIds = ['R0', 'R1'];
/** More statements than one such settlement writes. */
const statementsMaximum = 60;

/** From its nth writing statement on, the server answers as if a table cannot grow. */
async function fillFrom(server: PostgresServer, schema: string, statement: number): Promise<void> {
  await server.ask(`CREATE SEQUENCE ${schema}.written`);
  await server.ask(`CREATE FUNCTION ${schema}.write_or_fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('${schema}.written') >= ${statement} THEN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
    END IF; RETURN NULL; END $$`);
  for (const table of ['reward', 'event', 'budget'])
    await server.ask(`CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${schema}.${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.write_or_fail()`);
}

function promiseStatements(server: PostgresServer): void {
  test('a disk that is full from any statement on pays nothing twice, and says what to do', async () => {
    const paid: string[] = [];
    let full = 0;
    for (let statement = 1; statement < statementsMaximum; statement += 1) {
      const location = await makePostgresLedger(server);
      const { schema } = location.address;
      await fillFrom(server, schema, statement);
      const calls: string[] = [];
      const course = {
        rewardIds,
        caps: uncapped('day'),
        pay: (rewardId: string) => void calls.push(rewardId),
      };
      const failure = await settleOnce(location, { ...course, owner: 'first' });
      if (failure !== undefined) {
        full += 1;
        expect(failure).toMatchObject({
          kind: 'unwritable-path',
          exitCode: 2,
          message: expect.stringMatching(/cannot be written: .*No space left on device$/),
          hint: expect.stringMatching(/disk of the server has free space.*run the same command again/),
        });
      }
      await server.ask(`DROP FUNCTION ${schema}.write_or_fail CASCADE`);
      expect(
        await settleOnce(location, { ...course, owner: 'second' }),
        `from ${statement} on`,
      ).toBeUndefined();
      expect(await wrongIn(await openPostgresUntilEnd(location))).toEqual([]);
      expect(new Set(calls).size, `from ${statement} on`).toBe(calls.length);
      paid.push(...calls);
      if (failure === undefined) break;
    }
    console.log(`a full disk at each of ${full} statements: ${paid.length} payments, 0 doubles`);
    expect(full).toBeGreaterThan(10);
  }, 120_000);
}

function promiseDisk(program: string, disk: string): void {
  test('eight processes on a server whose disk fills up, twice, pay nothing twice', async () => {
    const server = await makePostgres(program, [], disk);
    onTestFinished(() => server.remove());
    const location = await makePostgresLedger(server);
    const calls = makeCallsFile();
    const ids = Array.from({ length: 240 }, (_, index) => `R${index}`);
    const failures: SettlerFailure[] = [];
    for (let round = 0; round <= 2; round += 1) {
      const before = calls.called().length;
      const settlers = Array.from({ length: 8 }, (_, index) =>
        startSettlerProcess(location, { owner: `o${round}-${index}`, rewardIds: ids, calls, cap: null }),
      );
      if (round < 2) {
        await expect.poll(() => calls.called().length, { timeout: 60_000 }).toBeGreaterThan(before + 5);
        const filler = fill(disk);
        for (const { ended } of settlers) failures.push(...[await ended].filter((end) => end != null));
        rmSync(filler);
        // A server that cannot write its log shuts down.
        await server.stop('immediate');
        await server.start();
      } else for (const { ended } of settlers) expect(await ended).toBeUndefined();
    }
    const paid = calls.called();
    const kinds = failures.map(({ kind }) => kind);
    console.log(
      `a disk that filled up twice among eight processes: ${failures.length} failures ` +
        `(${[...new Set(kinds)].join(', ')}), ${paid.length} payments, ${paid.length - new Set(paid).size} doubles`,
    );
    expect(new Set(paid).size).toBe(paid.length);
    expect(await wrongIn(await openPostgresUntilEnd(location))).toEqual([]);
    expect(failures.length).toBeGreaterThan(0);
    for (const { hint } of failures) expect(hint).toContain('run the same command again');
  }, 300_000);
}

await withPostgres(
  'settlers on a full disk',
  (server, bin) => {
    promiseStatements(server);
    const disk = mountSmallDisk();
    if (disk === undefined)
      test('without the right to mount a disk, a server that answers as on a full one stands in for it', () =>
        console.log('no disk could be mounted: a full one was tried by its answers alone'));
    else {
      afterAll(() => unmount(disk));
      promiseDisk(bin, disk);
    }
  },
  ['fsync=off'],
);

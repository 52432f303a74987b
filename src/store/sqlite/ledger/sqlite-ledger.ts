import { statSync } from 'node:fs';
import { type Database, isBusy, isDatabaseError } from '../../../base/sqlite.ts';
import { CappedBudgets } from '../../ledger/capped-budgets.ts';
import { decideChange } from '../../ledger/decide-change.ts';
import type {
  EventMark,
  Facts,
  Ledger,
  LedgerEntry,
  LedgerIdentity,
  Step,
  Stepped,
} from '../../ledger/ledger.ts';
import { type Change, untouched } from '../../ledger/ledger-invariants.ts';
import {
  budgetValues,
  eventValues,
  type LedgerRow,
  readBudget,
  readLastEvent,
  storable,
} from '../../ledger/ledger-rows.ts';
import { prepareExactQuery, prepareQuery } from '../query.ts';
import { createLedgerAccess, type LedgerAccess, type LedgerAccessOptions } from './ledger-access.ts';
import { createLedgerEntries, type LedgerEntries } from './ledger-entries.ts';
import { checkStructure, damaged, ledgerFailure, openLedgerFile } from './ledger-file.ts';
import { createLedgerReads } from './ledger-reads.ts';
import { insertSql } from './row-sql.ts';
import { createCustody, custodyNames, endFreeze } from './sqlite-custody.ts';
import { createPlans } from './sqlite-plans.ts';
import { verifySqliteLedger } from './verify-ledger.ts';

/**
 * The ledger in an existing SQLite file; `openLedger` also checks that it is the right one, and fences its claims.
 * @throws Failure('ledger') where it is no ledger or is damaged; Failure('unwritable-path') where it cannot be written;
 *   Failure('locked') while others keep it busy.
 */
export async function openSqliteLedger(path: string, options: LedgerAccessOptions): Promise<Ledger> {
  // Its commits are waited for together.
  const database = await openLedgerFile(path, 'process');
  let access: LedgerAccess | undefined;
  try {
    access = createLedgerAccess(path, database, options);
    await access.read(() => checkStructure(path, database));
    const entries = createLedgerEntries(access);
    return {
      identity: await access.read(() => readIdentity(path, database)),
      change: createChange(access, entries, options),
      find: (rewardId) => entries.find(rewardId),
      ...createLedgerReads(access, entries),
      ...createNotes(access),
      custody: createCustody(access),
      plans: createPlans(access),
      // Opened alone, it has no mark outside to prove it.
      fence: async () => undefined,
      verify: (onChecked) => verifySqliteLedger(path, onChecked),
      bytes: async () => statSync(path).size,
      close: access.close,
    };
  } catch (error) {
    if (access === undefined) database.close();
    else await access.close();
    // The statements so far are the same for every ledger, so a table or a column is not as it was created.
    const failure = ledgerFailure(path, error);
    throw isDatabaseError(failure) && !isBusy(failure) ? damaged(path, failure.message) : failure;
  }
}

/** The names in the table `meta`. */
const metaNames: ReadonlySet<string> = new Set([
  'ledgerId',
  'origin',
  'shop',
  'createdAtMs',
  'frozen',
  ...custodyNames,
]);

/** @throws Failure('ledger') where a name is missing or unknown: the name of a freeze may have been damaged. */
function readIdentity(path: string, database: Database): LedgerIdentity {
  const rows = prepareQuery<MetaRow>(database, 'SELECT name, value FROM meta').all();
  const meta = new Map(rows.map(({ name, value }) => [name, value]));
  const [ledgerId, origin, shop] = [meta.get('ledgerId'), meta.get('origin'), meta.get('shop')];
  const isWhole = ledgerId !== undefined && origin !== undefined && shop !== undefined;
  if (!isWhole || rows.some(({ name }) => !metaNames.has(name))) {
    throw damaged(path, 'its table meta was changed after it was written');
  }
  return { ledgerId, origin, shop, createdAtMs: Number(meta.get('createdAtMs')) };
}

interface MetaRow {
  readonly name: string;
  readonly value: string;
}

function createChange(
  access: LedgerAccess,
  entries: LedgerEntries,
  { clock }: LedgerAccessOptions,
): Ledger['change'] {
  const { database, write } = access;
  const selectFrozen = prepareQuery<Pick<MetaRow, 'value'>>(
    database,
    "SELECT value FROM meta WHERE name = 'frozen'",
  );
  const putEvent = createEvents(access);
  const budgets = createBudgets(access);

  const selectLastEvent = prepareExactQuery<LedgerRow>(
    database,
    'SELECT * FROM event WHERE reward_id = ? ORDER BY seq DESC LIMIT 1',
  );
  const lastEvent = (rewardId: string) => {
    const row = selectLastEvent.get(rewardId);
    return row && readLastEvent(row);
  };

  function read(rewardId: string): Omit<Facts, 'budget' | 'lastEventAtMs'> {
    return { entry: entries.read(rewardId), nowMs: clock.now(), frozen: selectFrozen.get()?.value };
  }

  function put(change: Change, before: LedgerEntry | undefined, by: string, atMs: number): EventMark {
    const { entry, event, posting } = change;
    entries.put(entry, {
      isNewObservation: before === undefined || event === undefined || event.kind === 'seen',
    });
    const posted = posting && budgets().post(posting, before, entry);
    return putEvent(entry, event, { atMs, by, posted });
  }

  return <Kept>(rewardId: string, step: Step<Kept>, { by, scopes = [] }: ChangeOptions) =>
    write((): Stepped<Kept> => {
      const facts = read(rewardId);
      const { entry: before, nowMs } = facts;
      const lookups = { budgets, lastEvent: () => lastEvent(rewardId) };
      const change = decideChange({ rewardId, step, scopes }, facts, lookups);
      if (change.kind === 'no-change') return { kind: 'kept', entry: before, reason: change.reason };
      return { kind: 'changed', entry: change.entry, ...put(change, before, by, nowMs) };
    });
}

type ChangeOptions = Parameters<Ledger['change']>[2];

type PutEvent = (
  entry: LedgerEntry,
  event: Change['event'],
  about: Omit<Parameters<typeof eventValues>[2], 'seq'>,
) => EventMark;

/** Writes events, each with the number after the last one; answers with the last one where there is none to write. */
function createEvents({ database, perTransaction }: LedgerAccess): PutEvent {
  const selectLast = prepareQuery<EventMark>(
    database,
    'SELECT seq, seal FROM event ORDER BY seq DESC LIMIT 1',
  );
  const insert = database.prepare(insertSql('event'));
  const current = perTransaction(
    () => ({ last: selectLast.get() ?? { seq: 0, seal: '' } }),
    () => undefined,
  );
  return (entry, event, about) => {
    const { last } = current();
    if (event === undefined) return last;
    const seq = last.seq + 1;
    const values = eventValues(entry, event, { seq, ...about });
    insert.run(...values);
    current().last = { seq, seal: String(values.at(-1)) };
    return current().last;
  };
}

function createBudgets({ database, perTransaction }: LedgerAccess): () => CappedBudgets {
  const select = prepareExactQuery<LedgerRow>(database, 'SELECT * FROM budget WHERE scope = ?');
  const put = database.prepare(insertSql('budget'));
  const read = (scope: string) => {
    const row = select.get(scope);
    return row === undefined
      ? { budget: untouched(scope), cap: { amount: null, count: null } }
      : readBudget(row);
  };
  return perTransaction(
    () => new CappedBudgets(read),
    (budgets) => {
      for (const { budget, cap } of budgets.changed()) put.run(...budgetValues(budget, cap));
    },
  );
}

function createNotes({
  database,
  read,
  write,
}: LedgerAccess): Pick<Ledger, 'beginRun' | 'freeze' | 'unfreeze' | 'frozen' | 'accounts' | 'addAccount'> {
  const insertRun = database.prepare('INSERT INTO run (run, command, at_ms) VALUES (?, ?, ?)');
  const putFrozen = database.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('frozen', ?)");
  const selectFrozen = prepareQuery<Pick<MetaRow, 'value'>>(
    database,
    "SELECT value FROM meta WHERE name = 'frozen'",
  );
  const selectAccounts = prepareQuery<{ readonly account: string }>(
    database,
    'SELECT account FROM account ORDER BY account',
  );
  const insertAccount = database.prepare('INSERT OR IGNORE INTO account (account) VALUES (?)');
  const done =
    (statement: { run(...values: readonly (string | number)[]): unknown }) =>
    (...values: readonly (string | number)[]) =>
      write(() => {
        statement.run(...values);
      });
  return {
    beginRun: ({ run, command, atMs }) => done(insertRun)(run, command, atMs),
    freeze: (reason) => done(putFrozen)(storable(reason)),
    unfreeze: () => write(() => endFreeze(database)),
    frozen: () => read(() => selectFrozen.get()?.value),
    accounts: () => read(() => selectAccounts.all().map(({ account }) => account)),
    addAccount: done(insertAccount),
  };
}

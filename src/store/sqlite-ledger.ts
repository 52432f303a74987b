import { type Database, isBusy, isDatabaseError, prepareExact } from '../base/sqlite.ts';
import type { Budget, Facts, Ledger, LedgerEntry, LedgerIdentity, Posting, Step, Stepped } from './ledger.ts';
import { createLedgerAccess, type LedgerAccess, type LedgerAccessOptions } from './ledger-access.ts';
import { checkStructure, damaged, ledgerFailure, openLedgerFile } from './ledger-file.ts';
import { type Change, checkChange, freed, reserved, spent, untouched } from './ledger-law.ts';
import { createLedgerReads } from './ledger-reads.ts';
import {
  budgetValues,
  entryValues,
  eventValues,
  insertSql,
  type Posted,
  type Row,
  readBudget,
  readEntry,
  storable,
} from './ledger-rows.ts';
import { createCustody, custodyNames, forgetRestoration } from './sqlite-custody.ts';
import { createPlans } from './sqlite-plans.ts';
import { verifySqliteLedger } from './verify-ledger.ts';

/**
 * The ledger in a SQLite file that is there; `openLedger` also asks whether it is the right one, and fences its claims.
 * @throws Failure('ledger') where it is no ledger or is damaged; Failure('unwritable-path') where it cannot be written; Failure('locked') while
 *   others keep it busy.
 */
export async function openSqliteLedger(path: string, options: LedgerAccessOptions): Promise<Ledger> {
  const database = await openLedgerFile(path);
  const access = createLedgerAccess(path, database, options);
  try {
    await access.read(() => checkStructure(path, database));
    return {
      identity: await access.read(() => readIdentity(path, database)),
      change: createChange(access, options),
      ...createLedgerReads(access),
      ...createNotes(access),
      custody: createCustody(access),
      plans: createPlans(access),
      // Opened by itself it has no mark outside to be proved by.
      fence: async () => undefined,
      verify: () => verifySqliteLedger(path),
      close: async () => access.close(),
    };
  } catch (error) {
    database.close();
    // All that was asked so far is the same for every ledger, so a table or a column is not what it was.
    const told = ledgerFailure(path, error);
    throw isDatabaseError(told) && !isBusy(told) ? damaged(path, told.message) : told;
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

/** @throws Failure('ledger') where there is more, or less, than a ledger says of itself: it might be the freeze that lost its name. */
function readIdentity(path: string, database: Database): LedgerIdentity {
  const rows = database.prepare('SELECT name, value FROM meta').all() as unknown as MetaRow[];
  const meta = new Map(rows.map(({ name, value }) => [name, value]));
  const [ledgerId, origin, shop] = [meta.get('ledgerId'), meta.get('origin'), meta.get('shop')];
  const isWhole = ledgerId !== undefined && origin !== undefined && shop !== undefined;
  if (!isWhole || rows.some(({ name }) => !metaNames.has(name))) {
    throw damaged(path, 'what it says of itself is not what was written');
  }
  return { ledgerId, origin, shop, createdAtMs: Number(meta.get('createdAtMs')) };
}

interface MetaRow {
  readonly name: string;
  readonly value: string;
}

function createChange({ database, write }: LedgerAccess, { clock }: LedgerAccessOptions): Ledger['change'] {
  const selectEntry = prepareExact(database, 'SELECT * FROM reward WHERE reward_id = ?');
  const selectFrozen = database.prepare("SELECT value FROM meta WHERE name = 'frozen'");
  const selectSeq = database.prepare('SELECT coalesce(max(seq), 0) AS seq FROM event');
  const putEntry = database.prepare(insertSql('reward'));
  const putEvent = database.prepare(insertSql('event'));
  const budgets = createBudgets(database);

  function read(rewardId: string): Omit<Facts, 'budget'> {
    const row = selectEntry.get(rewardId) as Row | undefined;
    const frozen = selectFrozen.get() as unknown as Pick<MetaRow, 'value'> | undefined;
    return { entry: row && readEntry(row), nowMs: clock.now(), frozen: frozen?.value };
  }

  function put(change: Change, before: LedgerEntry | undefined, by: string, atMs: number): number {
    const { seq } = selectSeq.get() as unknown as { readonly seq: number };
    const { entry, event, posting } = change;
    putEntry.run(...entryValues(entry));
    if (event === undefined) return seq;
    const posted = posting && budgets.post(posting, before, entry);
    putEvent.run(...eventValues(entry, event, { seq: seq + 1, atMs, by, posted }));
    return seq + 1;
  }

  return <Kept>(rewardId: string, step: Step<Kept>, { by, scopes = [] }: ChangeOptions) =>
    write((): Stepped<Kept> => {
      const facts = read(rewardId);
      const { entry: before, frozen, nowMs } = facts;
      const decision = step({ ...facts, budget: askedFor(scopes, budgets.find) });
      if (decision.kind === 'keep') return { kind: 'kept', entry: before, because: decision.because };
      const change = storableChange(decision);
      checkChange(change, { rewardId, before, frozen, scopes });
      return { kind: 'changed', entry: change.entry, seq: put(change, before, by, nowMs) };
    });
}

type ChangeOptions = Parameters<Ledger['change']>[2];

/** Texts of others may hold what a database cuts off; a person reads them, so they need not come back exactly. */
function storableChange(change: Change): Change {
  const { entry } = change;
  const seen = { ...entry.seen, status: storable(entry.seen.status) };
  return {
    ...change,
    entry: { ...entry, seen, ref: storable(entry.ref), reason: storable(entry.reason) },
  };
}

/** The budgets of a change in the database, for as long as its transaction lasts. */
function createBudgets(database: Database) {
  const select = prepareExact(database, 'SELECT * FROM budget WHERE scope = ?');
  const put = database.prepare(insertSql('budget'));

  function read(scope: string) {
    const row = select.get(scope) as Row | undefined;
    return row === undefined
      ? { budget: untouched(scope), cap: { amount: null, count: null } }
      : readBudget(row);
  }

  /** Moves the money of a change, and tells what was moved where. */
  function post(posting: Posting, before: LedgerEntry | undefined, after: LedgerEntry): Posted {
    if (posting.kind === 'reserve') {
      const amount = after.terms?.amount ?? 0n;
      for (const cap of posting.caps)
        put.run(...budgetValues(reserved(read(cap.scope).budget, amount, cap), cap));
      return { kind: posting.kind, amount, scopes: posting.caps.map(({ scope }) => scope) };
    }
    const amount = before?.terms?.amount ?? 0n;
    const scopes = before?.scopes ?? [];
    for (const scope of scopes) {
      const { budget, cap } = read(scope);
      const next = posting.kind === 'spend' ? spent(budget, amount) : freed(budget, amount);
      put.run(...budgetValues(next, cap));
    }
    return { kind: posting.kind, amount, scopes };
  }

  return { find: (scope: string) => read(scope).budget, post };
}

/** A budget that was not named is a mistake: another ledger must lock those it may need beforehand. */
function askedFor(scopes: readonly string[], find: (scope: string) => Budget): Facts['budget'] {
  return (scope) => {
    if (!scopes.includes(scope)) throw new Error(`the budget ${scope} was not asked for`);
    return find(scope);
  };
}

function createNotes({
  database,
  read,
  write,
}: LedgerAccess): Pick<Ledger, 'beginRun' | 'freeze' | 'unfreeze' | 'frozen' | 'accounts' | 'addAccount'> {
  const insertRun = database.prepare('INSERT INTO run (run, command, at_ms) VALUES (?, ?, ?)');
  const putFrozen = database.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('frozen', ?)");
  const deleteFrozen = database.prepare("DELETE FROM meta WHERE name = 'frozen'");
  const selectFrozen = database.prepare("SELECT value FROM meta WHERE name = 'frozen'");
  const selectAccounts = database.prepare('SELECT account FROM account ORDER BY account');
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
    unfreeze: () =>
      write(() => {
        deleteFrozen.run();
        forgetRestoration(database);
      }),
    frozen: () => read(() => (selectFrozen.get() as unknown as Pick<MetaRow, 'value'> | undefined)?.value),
    accounts: () =>
      read(() =>
        (selectAccounts.all() as unknown as { readonly account: string }[]).map(({ account }) => account),
      ),
    addAccount: done(insertAccount),
  };
}

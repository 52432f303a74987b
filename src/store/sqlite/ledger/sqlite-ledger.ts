import { type Database, isBusy, isDatabaseError } from '../../../base/sqlite.ts';
import type {
  Budget,
  EventMark,
  Facts,
  Ledger,
  LedgerEntry,
  LedgerIdentity,
  Posting,
  Step,
  Stepped,
} from '../../ledger/ledger.ts';
import {
  type Change,
  checkChange,
  freed,
  reserved,
  spent,
  untouched,
} from '../../ledger/ledger-invariants.ts';
import { prepareExactQuery, prepareQuery } from '../query.ts';
import { createLedgerAccess, type LedgerAccess, type LedgerAccessOptions } from './ledger-access.ts';
import { createLedgerEntries, type LedgerEntries } from './ledger-entries.ts';
import { checkStructure, damaged, ledgerFailure, openLedgerFile } from './ledger-file.ts';
import { createLedgerReads } from './ledger-reads.ts';
import {
  budgetValues,
  eventValues,
  insertSql,
  type LedgerRow,
  type Posted,
  readBudget,
  storable,
} from './ledger-rows.ts';
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
      verify: () => verifySqliteLedger(path),
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

  function read(rewardId: string): Omit<Facts, 'budget'> {
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
      const { entry: before, frozen, nowMs } = facts;
      const decision = step({ ...facts, budget: askedFor(scopes, (scope) => budgets().find(scope)) });
      if (decision.kind === 'no-change') return { kind: 'kept', entry: before, reason: decision.reason };
      const change = storableChange(decision);
      checkChange(change, { rewardId, before, frozen, scopes });
      return { kind: 'changed', entry: change.entry, ...put(change, before, by, nowMs) };
    });
}

type ChangeOptions = Parameters<Ledger['change']>[2];

/**
 * Texts from outside may hold characters that a database cuts off; people read them, so they need not come back
 * exactly.
 */
function storableChange(change: Change): Change {
  const { entry } = change;
  const seen = { ...entry.seen, status: storable(entry.seen.status) };
  return {
    ...change,
    entry: { ...entry, seen, ref: storable(entry.ref), reason: storable(entry.reason) },
  };
}

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

/** The budgets of a transaction: each is read once, however many changes post to it, and written once, at its end. */
function createBudgets({ database, perTransaction }: LedgerAccess): () => Budgets {
  const select = prepareExactQuery<LedgerRow>(database, 'SELECT * FROM budget WHERE scope = ?');
  const put = database.prepare(insertSql('budget'));
  const read = (scope: string) => {
    const row = select.get(scope);
    return row === undefined
      ? { budget: untouched(scope), cap: { amount: null, count: null } }
      : readBudget(row);
  };
  return perTransaction(
    () => new Budgets(read),
    (budgets) => {
      for (const { budget, cap } of budgets.changed()) put.run(...budgetValues(budget, cap));
    },
  );
}

type CappedBudget = ReturnType<typeof readBudget>;

class Budgets {
  readonly #read: (scope: string) => CappedBudget;
  readonly #known = new Map<string, CappedBudget>();
  readonly #changed = new Set<string>();

  constructor(read: (scope: string) => CappedBudget) {
    this.#read = read;
  }

  find(scope: string): Budget {
    return this.#find(scope).budget;
  }

  /** Moves the money of a change; returns what was moved, and in which scopes. */
  post(posting: Posting, before: LedgerEntry | undefined, after: LedgerEntry): Posted {
    if (posting.kind === 'reserve') {
      const amount = after.terms?.amount ?? 0n;
      for (const cap of posting.caps) this.#put(reserved(this.find(cap.scope), amount, cap), cap);
      return { kind: posting.kind, amount, scopes: posting.caps.map(({ scope }) => scope) };
    }
    const amount = before?.terms?.amount ?? 0n;
    const scopes = before?.scopes ?? [];
    for (const scope of scopes) {
      const { budget, cap } = this.#find(scope);
      this.#put(posting.kind === 'spend' ? spent(budget, amount) : freed(budget, amount), cap);
    }
    return { kind: posting.kind, amount, scopes };
  }

  changed(): CappedBudget[] {
    return [...this.#changed].map((scope) => this.#find(scope));
  }

  #find(scope: string): CappedBudget {
    const found = this.#known.get(scope) ?? this.#read(scope);
    this.#known.set(scope, found);
    return found;
  }

  #put(budget: Budget, cap: CappedBudget['cap']): void {
    this.#known.set(budget.scope, { budget, cap });
    this.#changed.add(budget.scope);
  }
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

import { existsSync } from 'node:fs';
import { Failure, messageOf } from '../base/failure.ts';
import { type Database, isBusy, isDamage, openDatabase, transaction } from '../base/sqlite.ts';
import type { EventKind, Ledger, LedgerIdentity } from './ledger.ts';

/** How far the ledger of a shop was known to go, kept outside of it. */
export interface LedgerMark {
  readonly ledgerId: string;
  /** The last event known to have decided something. */
  readonly seq: number;
  /** Where the ledger was then. */
  readonly path: string;
}

/** A shop at a service. */
type Subject = Pick<LedgerIdentity, 'origin' | 'shop'>;

/**
 * The marks of this machine. They need not survive a loss of power: one that is too low only notices less. They never go back by
 * themselves.
 */
export interface LedgerMarks {
  find(subject: Subject): LedgerMark | undefined;
  /** Moves the mark of the ledger on; makes it where the shop has none. Leaves that of another ledger alone. */
  advance(identity: LedgerIdentity, mark: Omit<LedgerMark, 'ledgerId'>): void;
  /** Puts a mark in the place of whatever was known: a person decided that this ledger counts from now on. */
  replace(identity: LedgerIdentity, mark: Omit<LedgerMark, 'ledgerId'>): void;
  close(): void;
}

/**
 * The mark of a shop in the file at `path`; of any shop there is at the service where none is named. Makes nothing.
 * @throws Failure('unwritable-path') where the file cannot be used.
 */
export async function findMark(
  path: string,
  { origin, shop }: { readonly origin: string; readonly shop?: string | undefined },
): Promise<LedgerMark | undefined> {
  if (!existsSync(path)) return undefined;
  const database = await openMarksFile(path);
  try {
    const select = database.prepare(
      'SELECT ledger_id AS ledgerId, seq, path FROM mark WHERE origin = ? AND shop = coalesce(?, shop) ORDER BY shop LIMIT 1',
    );
    return guarded(path, () => select.get(origin, shop ?? null) as unknown as LedgerMark | undefined);
  } finally {
    database.close();
  }
}

/**
 * The marks of every shop at a service in the file at `path`; none where there is no file.
 * @throws Failure('unwritable-path') where the file cannot be used.
 */
export async function marksAt(path: string, origin: string): Promise<readonly LedgerMark[]> {
  if (!existsSync(path)) return [];
  const database = await openMarksFile(path);
  try {
    const select = database.prepare(
      'SELECT ledger_id AS ledgerId, seq, path FROM mark WHERE origin = ? ORDER BY shop',
    );
    return guarded(path, () => select.all(origin) as unknown as readonly LedgerMark[]);
  } finally {
    database.close();
  }
}

/**
 * Opens the marks in the file at `path`, made where it is missing.
 * @throws Failure('unwritable-path'), as its methods do, where the file cannot be used.
 */
export async function openMarks(path: string): Promise<LedgerMarks> {
  const database = await openMarksFile(path);
  const select = database.prepare(
    'SELECT ledger_id AS ledgerId, seq, path FROM mark WHERE origin = ? AND shop = ?',
  );
  const put = (condition: string) =>
    database.prepare(
      `INSERT INTO mark (origin, shop, ledger_id, seq, path) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (origin, shop) DO UPDATE SET ledger_id = excluded.ledger_id, seq = excluded.seq, path = excluded.path ${condition}`,
    );
  const advance = put('WHERE ledger_id = excluded.ledger_id AND seq <= excluded.seq');
  const replace = put('');
  const write =
    (statement: typeof advance): LedgerMarks['advance'] =>
    ({ origin, shop, ledgerId }, { seq, path: ledgerPath }) =>
      guarded(path, () => {
        statement.run(origin, shop, ledgerId, seq, ledgerPath);
      });
  return {
    find: ({ origin, shop }) =>
      guarded(path, () => select.get(origin, shop) as unknown as LedgerMark | undefined),
    advance: write(advance),
    replace: write(replace),
    close: () => database.close(),
  };
}

async function openMarksFile(path: string): Promise<Database> {
  try {
    const database = await openDatabase(path, { durability: 'process' });
    transaction(database, () =>
      database.exec(
        `CREATE TABLE IF NOT EXISTS mark (
          origin TEXT NOT NULL,
          shop TEXT NOT NULL,
          ledger_id TEXT NOT NULL,
          seq INTEGER NOT NULL,
          path TEXT NOT NULL,
          PRIMARY KEY (origin, shop)
        ) STRICT, WITHOUT ROWID`,
      ),
    );
    return database;
  } catch (error) {
    throw unusable(path, error);
  }
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): Failure {
  if (error instanceof Failure && error.kind === 'locked') return error;
  if (isBusy(error)) {
    return new Failure('locked', `others keep ${path} busy`, 'run the same command again', { cause: error });
  }
  const isOfContent = isDamage(error instanceof Failure ? error.cause : error);
  return new Failure(
    isOfContent ? 'ledger' : 'unwritable-path',
    `${path}, which says how far the ledger goes, cannot be used: ${messageOf(error)}`,
    'see that its disk has room and that you may write to it; where you are sure that your ledger is the newest there is, you may remove this file',
    { cause: error },
  );
}

/** The events after which an older copy of the ledger would be a danger: by it, money could move again. */
const decisive: ReadonlySet<EventKind> = new Set([
  'claimed',
  'paid',
  'refused',
  'lost',
  'sent-back',
  'resolved',
  'adopted',
]);

/** A ledger that moves its mark on after each change that decided something. Closing it closes the marks too. */
export function withMark(ledger: Ledger, path: string, marks: LedgerMarks): Ledger {
  return {
    ...ledger,
    change: async (rewardId, step, options) => {
      let kind: EventKind | undefined;
      const stepped = await ledger.change(
        rewardId,
        (facts) => {
          const decision = step(facts);
          kind = decision.kind === 'change' ? decision.event?.kind : undefined;
          return decision;
        },
        options,
      );
      if (stepped.kind === 'changed' && kind !== undefined && decisive.has(kind)) {
        marks.advance(ledger.identity, { seq: stepped.seq, path });
      }
      return stepped;
    },
    close: async () => {
      marks.close();
      await ledger.close();
    },
  };
}

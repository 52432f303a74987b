import fc from 'fast-check';
import { expect } from 'vitest';
import type {
  JournalEntry,
  KnownRecord,
  PushJournal,
  RunJournal,
} from '../../src/store/journal/push-journal.ts';
import { all } from './all-pages.ts';

/* Compares a journal with a plain map through random sequences of operations. The process may be killed after each. */

/** The place of a separate journal. */
export interface ModelPlace {
  open(): Promise<RunJournal>;
  read(): Promise<PushJournal>;
  /** The place after a kill at this instant; the open journal is closed then. */
  killed(): Promise<ModelPlace>;
}

const kinds = ['order-item', 'category'] as const;
type Kind = (typeof kinds)[number];
type Fate = 'accepted' | 'unknown' | 'none';
const runs = ['run1', 'run2'] as const;
const idCount = 12;
const ids = Array.from({ length: idCount }, (_, index) => `I${index}`);

interface ModelRecord {
  readonly entry: JournalEntry;
  readonly fate: 'accepted' | 'unknown';
  readonly run: string | null;
  readonly jobId?: string | undefined;
  readonly jobState?: 'succeeded' | 'failed';
  readonly objectId?: string;
  /** The earlier record that was created. */
  readonly made?: ModelRecord | undefined;
}

interface ModelRequest {
  readonly kind: Kind;
  readonly run: string;
  readonly entries: readonly JournalEntry[];
}

/** The facts that a journal must know. */
class Model {
  readonly records = new Map<string, ModelRecord>();
  readonly open = new Set<ModelRequest>();

  get(kind: Kind, originId: string): ModelRecord | undefined {
    return this.records.get(`${kind} ${originId}`);
  }

  put(kind: Kind, record: ModelRecord): void {
    const before = this.get(kind, record.entry.originId);
    const isMade = before?.fate === 'accepted' && before.jobState !== 'failed';
    const made = before?.fate === 'unknown' ? undefined : isMade ? before : before?.made;
    this.records.set(`${kind} ${record.entry.originId}`, { made, ...record });
  }

  known(kind: Kind): ReadonlyMap<string, KnownRecord> {
    const known = new Map<string, KnownRecord>();
    for (const originId of ids) {
      const record = this.get(kind, originId);
      if (record !== undefined) known.set(originId, knownOf(decisive(record)));
    }
    return known;
  }

  itemsOf(order: string): ReadonlyMap<string, string | undefined> {
    const items = [...this.records]
      .flatMap(([key, record]) => (key.startsWith('order-item') ? decisive(record) : []))
      .filter(({ entry, jobState }) => entry.orderOriginId === order && jobState !== 'failed');
    return new Map(items.map(({ entry }) => [entry.originId, entry.productOriginId]));
  }

  jobs(): readonly string[] {
    return [...this.records]
      .filter(([, { jobId }]) => jobId !== undefined)
      .map(([key, { fate, jobId, jobState, run, objectId }]) => {
        const state = fate === 'unknown' ? 'unknown' : (jobState ?? 'pending');
        return `${key} ${jobId} ${state} ${run} ${objectId ?? null}`;
      })
      .toSorted();
  }
}

/** A record that failed when sent again stays as it was created. */
function decisive(record: ModelRecord): ModelRecord {
  return record.jobState === 'failed' ? (record.made ?? record) : record;
}

function knownOf({ entry, fate, jobId, jobState, objectId }: ModelRecord): KnownRecord {
  const { contentHash, productOriginId, orderOriginId } = entry;
  return {
    fate,
    contentHash,
    jobId,
    ...(jobState === undefined ? {} : { jobState }),
    ...(objectId === undefined ? {} : { objectId }),
    ...(productOriginId === undefined ? {} : { productOriginId }),
    ...(orderOriginId === undefined ? {} : { orderOriginId }),
  };
}

/** The journal of one process at a time, and the facts it must know. */
class Subject {
  journal: RunJournal;
  readonly model = new Model();
  #place: ModelPlace;
  #jobs = 0;

  private constructor(place: ModelPlace, journal: RunJournal) {
    this.#place = place;
    this.journal = journal;
  }

  static async open(place: ModelPlace): Promise<Subject> {
    return new Subject(place, await place.open());
  }

  async send(sent: ModelRequest, fates: readonly Fate[]): Promise<void> {
    const { kind, run, entries } = sent;
    const request = await this.journal.begin(kind, entries, run);
    const fateOf = (index: number) => fates[index % fates.length] ?? 'none';
    const accepted = entries
      .filter((_, index) => fateOf(index) === 'accepted')
      .map((entry) => ({ entry, jobId: this.#nextJob() }));
    const unknown = entries.filter((_, index) => fateOf(index) === 'unknown');
    await this.journal.end(request, { accepted, unknown });
    for (const { entry, jobId } of accepted) this.model.put(kind, { entry, fate: 'accepted', run, jobId });
    for (const entry of unknown) this.model.put(kind, { entry, fate: 'unknown', run });
  }

  async record({ kind, entries }: ModelRequest): Promise<void> {
    const accepted = entries.map((entry) => ({ entry, jobId: this.#nextJob() }));
    await this.journal.record(kind, accepted);
    for (const acceptance of accepted) this.model.put(kind, { ...acceptance, fate: 'accepted', run: null });
  }

  #nextJob(): string {
    this.#jobs += 1;
    return `J${this.#jobs}`;
  }

  async leaveOpen(sent: ModelRequest): Promise<void> {
    await this.journal.begin(sent.kind, sent.entries, sent.run);
    this.model.open.add(sent);
  }

  async recover(kind: Kind): Promise<void> {
    const lost = [...this.model.open].filter((request) => request.kind === kind);
    const count = lost.reduce((sum, { entries }) => sum + entries.length, 0);
    expect(await this.journal.recover(kind)).toBe(count);
    for (const request of lost) {
      for (const entry of request.entries) {
        this.model.put(kind, { entry, fate: 'unknown', run: request.run });
      }
      this.model.open.delete(request);
    }
  }

  async endJobs(kind: Kind, originIds: readonly string[], state: 'succeeded' | 'failed' | 'unknown') {
    const ends = originIds.flatMap((originId) => {
      const jobId = this.model.get(kind, originId)?.jobId;
      return jobId === undefined ? [] : [{ originId, jobId, state, objectId: `O${originId}` }];
    });
    const stale = originIds.map((originId) => ({ originId, jobId: 'another', state }));
    await this.journal.endJobs(kind, [...ends, ...stale]);
    for (const { originId, objectId } of ends) {
      const { jobState: _, ...record } = this.model.get(kind, originId) as ModelRecord;
      const fate = state === 'unknown' ? 'unknown' : 'accepted';
      this.model.put(kind, {
        ...record,
        fate,
        objectId,
        ...(state === 'unknown' ? {} : { jobState: state }),
      });
    }
  }

  async resolve(kind: Kind, run: string, finding: 'sent' | 'not-sent'): Promise<void> {
    const unknown = [...this.model.records].filter(
      ([key, record]) => key.startsWith(`${kind} `) && record.fate === 'unknown' && record.run === run,
    );
    expect(await this.journal.resolve(kind, run, finding)).toBe(unknown.length);
    for (const [key, record] of unknown) {
      if (finding === 'not-sent') this.model.records.delete(key);
      else {
        const isJob = record.jobId !== undefined;
        this.model.put(kind, { ...record, fate: 'accepted', ...(isJob ? { jobState: 'succeeded' } : {}) });
      }
    }
  }

  async reopen(): Promise<void> {
    await this.journal.close();
    this.journal = await this.#place.open();
  }

  /** The journal as found by another process after a kill at this instant. */
  async die(): Promise<void> {
    this.#place = await this.#place.killed();
    await this.journal.close();
    this.journal = await this.#place.open();
  }

  async check(): Promise<void> {
    const { journal, model } = this;
    for (const kind of kinds) expect(await journal.known(kind, ids)).toEqual(model.known(kind));
    const orders = ['O0', 'O1', 'O2'];
    const items = orders.map((order) => [order, model.itemsOf(order)] as const);
    expect(await journal.itemsOf(orders)).toEqual(new Map(items.filter(([, { size }]) => size > 0)));
    const jobs = (await all(journal.jobs())).map(
      ({ kind, originId, jobId, state, run, objectId }) =>
        `${kind} ${originId} ${jobId} ${state} ${run} ${objectId}`,
    );
    expect(jobs.toSorted()).toEqual(model.jobs());
  }

  /** To a reader, the records of open requests are unknown. */
  async checkReading(): Promise<void> {
    const reading = await this.#place.read();
    for (const kind of kinds) {
      const known = new Map(this.model.known(kind));
      for (const request of this.model.open) {
        if (request.kind !== kind) continue;
        for (const entry of request.entries) {
          known.set(entry.originId, { ...knownOf({ entry, fate: 'unknown', run: '' }) });
        }
      }
      expect(await reading.known(kind, ids)).toEqual(known);
    }
    await reading.close();
  }
}

const kind = fc.constantFrom(...kinds);
const run = fc.constantFrom(...runs);
const someIds = fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 6 });
const request = fc
  .record({ kind, run, originIds: someIds, hash: fc.constantFrom('h1', 'h2'), orders: fc.nat(3) })
  .map(
    ({ originIds, hash, orders, ...sent }): ModelRequest => ({
      ...sent,
      entries: originIds.map((originId, index) => ({
        originId,
        contentHash: hash,
        ...(orders === 0 ? {} : { orderOriginId: `O${index % orders}`, productOriginId: `P${index}` }),
      })),
    }),
  );
const fates = fc.array(fc.constantFrom<Fate>('accepted', 'unknown', 'none'), { minLength: 1, maxLength: 3 });

const action: fc.Arbitrary<(subject: Subject) => Promise<void>> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(request, fates).map((args) => (subject: Subject) => subject.send(...args)),
  },
  { weight: 2, arbitrary: request.map((found) => (subject: Subject) => subject.record(found)) },
  { weight: 2, arbitrary: request.map((sent) => (subject: Subject) => subject.leaveOpen(sent)) },
  { weight: 1, arbitrary: kind.map((of) => (subject: Subject) => subject.recover(of)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(kind, someIds, fc.constantFrom('succeeded', 'failed', 'unknown'))
      .map((args) => (subject: Subject) => subject.endJobs(...args)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(kind, run, fc.constantFrom('sent', 'not-sent'))
      .map((args) => (subject: Subject) => subject.resolve(...args)),
  },
  { weight: 1, arbitrary: fc.constant((subject: Subject) => subject.reopen()) },
  { weight: 1, arbitrary: fc.constant((subject: Subject) => subject.die()) },
);

/** The facts known to a journal after each of many random steps; `place` makes a new one. */
export async function checkAgainstModel(place: () => ModelPlace, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 25 }), async (actions) => {
      const subject = await Subject.open(place());
      try {
        for (const act of actions) {
          await act(subject);
          await subject.check();
        }
        await subject.checkReading();
      } finally {
        await subject.journal.close();
      }
    }),
    { numRuns },
  );
}

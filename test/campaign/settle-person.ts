import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { messageOf } from '../../src/base/failure.ts';
import type { Random } from '../../src/base/random.ts';
import type { LedgerEvent } from '../../src/store/ledger/ledger.ts';
import { restoreRecipe } from '../cli/restore-recipe.ts';
import { unasked } from '../unasked.ts';
import { copyLedger, removeLedger } from './copy-ledger.ts';
import { lateMs } from './service-and-payer.ts';
import type { SettlePlace, Settler, StartOptions } from './settle-place.ts';

/** The acts of a person on a ledger, besides those of the programs that pay. */
export const acts = ['backup', 'restore', 'copy', 'link', 'move', 'spelling', 'batch'] as const;

type Act = (typeof acts)[number];

/** The running programs, as a person sees them. */
export interface Company {
  readonly random: Random;
  /** Flags of every command that claims rewards. */
  readonly capFlags: readonly string[];
  /** The environment of the programs that pay. */
  readonly surroundings: () => StartOptions;
  readonly writeReviews: () => Promise<void>;
  /** Runs `body` while no program runs, as with a disabled cron job. */
  readonly alone: <T>(body: () => Promise<T>) => Promise<T>;
  /** Records the end of a paying process, which its payer may have killed. */
  readonly noteEnd: (settler: Settler) => void;
}

/** Attempts of a person to repeat a command that the service or another run prevented. */
const triesMaximum = 8;
const pauseMostMs = 600;
const batchMost = 6;
/** Columns that a person may sort separately from the rest. Their values differ per row, or are looked up again. */
const sortable = ['key', 'rewardId', 'memberOriginId', 'check'];

/**
 * A person who handles a ledger as people do, in random order and at random times, and checks that each step does what
 * the documentation promises.
 */
export class Person {
  readonly #place: SettlePlace;
  readonly #company: Company;
  readonly #done: Act[] = [];
  readonly #troubles: string[] = [];
  #disturbances = 0;
  #isDisturbing = false;
  #backup: string | undefined;
  #hasSpelling = false;

  constructor(place: SettlePlace, company: Company) {
    this.#place = place;
    this.#company = company;
  }

  get done(): readonly Act[] {
    return this.#done;
  }

  /** The broken promises. */
  get troubles(): readonly string[] {
    return this.#troubles;
  }

  /** Changes whenever the person begins an act for which a ledger may rightly be refused; undefined during it. */
  get disturbances(): number | undefined {
    return this.#isDisturbing ? undefined : this.#disturbances;
  }

  /** The address of the service, in one of its spellings. */
  addressFlags(): readonly string[] {
    return this.#hasSpelling && this.#company.random() < 0.5 ? this.#spelled() : [];
  }

  /** Performs all acts once. */
  async doAll(): Promise<void> {
    for (const act of this.#plan()) {
      await systemClock.sleep(Math.floor(this.#company.random() * pauseMostMs));
      try {
        await this.#acts[act]();
        this.#done.push(act);
      } catch (error) {
        this.#troubles.push(`${act}: ${messageOf(error)}`);
      }
    }
  }

  readonly #acts: Readonly<Record<Act, () => Promise<void>>> = {
    backup: () => this.#backUp(),
    restore: () => this.#disturb(() => this.#company.alone(() => this.#restore())),
    copy: () => this.#copy(),
    link: () => this.#disturb(() => this.#link()),
    move: () => this.#disturb(() => this.#move()),
    spelling: () => this.#disturb(() => this.#spell()),
    batch: () => this.#batch(),
  };

  /** All acts in random order, except that a backup is made before it is used. */
  #plan(): readonly Act[] {
    const drawn = acts.map((act) => ({ act, at: this.#company.random() }));
    const shuffled = drawn.toSorted((one, other) => one.at - other.at).map(({ act }) => act);
    const [first, second] = [shuffled.indexOf('backup'), shuffled.indexOf('restore')].toSorted(
      (one, other) => one - other,
    );
    return shuffled.map((act, index) => (index === first ? 'backup' : index === second ? 'restore' : act));
  }

  async #disturb(act: () => Promise<void>): Promise<void> {
    this.#isDisturbing = true;
    this.#disturbances += 1;
    try {
      await act();
    } finally {
      this.#isDisturbing = false;
    }
  }

  async #backUp(): Promise<void> {
    const path = join(this.#place.folder, 'backup.db');
    await this.#expect([0], ['ledger', 'backup', path]);
    this.#backup = path;
  }

  /** Loses the ledger, and follows `docs/ledger-operations.md`, with a statement of all payments. */
  async #restore(): Promise<void> {
    const ledgerPath = this.#place.ledgerPath();
    if (this.#backup === undefined) throw new Error('there is no backup');
    await systemClock.sleep(lateMs);
    const before = await this.#place.events();
    const statement = this.#statement();
    writeFileSync(join(dirname(ledgerPath), 'statement.csv'), [...statement, ''].join('\n'));
    const recipe = restoreRecipe()
      .replaceAll('/backup/ledger-2026-11-19.db', this.#backup)
      .replaceAll('ledger.db', basename(ledgerPath));
    const at = recipe.indexOf('reviewctl ledger reconcile');
    const [replacing, comparing] = [recipe.slice(0, at), recipe.slice(at)];
    await this.#shell(replacing);
    const kept = await this.#place.events();
    const seq = before.findIndex((event, index) => !isSame(event, kept[index]));
    const lost = seq === -1 ? [] : before.slice(seq);
    this.#place.noteFate({ restoration: { seq: before.length - lost.length, lost } });
    this.#hasSpelling = false;
    const frozen = await this.#settle();
    if (frozen !== 7)
      throw new Error(`a restored ledger that nobody unfroze was settled with exit ${frozen}`);
    // A statement without payments does not show that it is complete.
    const way = statement.length > 1 ? comparing : 'reviewctl ledger unfreeze --without-statement';
    for (let tries = 1; (await this.#shell(way)) !== 0; tries += 1) {
      if (tries === triesMaximum)
        throw new Error(`the recipe of docs/ledger-operations.md does not end: ${this.#lastWords}`);
    }
  }

  /** The payer's statement of its payments. */
  #statement(): readonly string[] {
    const effects = this.#place.payments().filter(({ what }) => what === 'EFFECT');
    const lines = effects.map(({ key, amount }) => `${JSON.stringify(key)},${JSON.stringify(amount)}`);
    return ['key,amount', ...lines];
  }

  /** Settles with a copy of the file, made while others write it, and at the same time. */
  async #copy(): Promise<void> {
    const twin = join(this.#place.folder, 'twin.db');
    copyLedger(this.#place.ledgerPath(), twin);
    const exitCode = await this.#settle({ ledgerPath: twin });
    if (exitCode !== 12) throw new Error(`a copy of the ledger was settled with exit ${exitCode}`);
    removeLedger(twin);
  }

  /** Settles with another name of the file. */
  async #link(): Promise<void> {
    const { folder } = this.#place;
    const ledgerPath = this.#place.ledgerPath();
    const twin = join(folder, 'linked.db');
    linkSync(ledgerPath, twin);
    try {
      const exitCode = await this.#settle({ ledgerPath: twin });
      if (exitCode !== 12) throw new Error(`a hard link of the ledger was settled with exit ${exitCode}`);
    } finally {
      removeLedger(twin);
    }
  }

  /**
   * Copies the ledger while nothing runs, and moves to the copy while others use the old one again; if that is refused
   * as too late, while nothing runs.
   */
  async #move(): Promise<void> {
    const { folder } = this.#place;
    const ledgerPath = this.#place.ledgerPath();
    const moved = join(folder, `moved-${this.#disturbances}.db`);
    await this.#company.alone(async () => copyLedger(ledgerPath, moved));
    const words = ['ledger', 'accept', '--complete', '--yes'];
    const exitCode = await this.#run(words, { ledgerPath: moved });
    if (exitCode === 12) {
      await this.#company.alone(async () => {
        copyLedger(ledgerPath, moved);
        await this.#expect([0], words, { ledgerPath: moved });
        this.#place.useLedger(moved);
      });
    } else if (exitCode !== 0)
      throw new Error(`ledger accept --complete ended with ${exitCode}: ${this.#lastWords}`);
    this.#place.useLedger(moved);
    const left = await this.#settle({ ledgerPath });
    if (left !== 12) throw new Error(`a ledger that was moved away was settled with exit ${left}`);
    await this.#company.alone(async () =>
      this.#place.noteFate({ left: await this.#place.events(ledgerPath) }),
    );
  }

  /** Settles with another spelling of the service's address, which the ledger must learn first. */
  async #spell(): Promise<void> {
    const missed = await this.#settle({}, this.#spelled());
    if (missed !== 12) throw new Error(`a service of an unknown name was settled with exit ${missed}`);
    await this.#untilDone([0], ['ledger', 'accept', '--complete', ...this.#spelled(), '--yes']);
    this.#hasSpelling = true;
    const known = await this.#settle({}, this.#spelled());
    if (known === 12) throw new Error(`the ledger did not learn the name of the service: ${this.#lastWords}`);
  }

  /** The rewards whose outcome nobody has stated. */
  async #underWay(): Promise<ReadonlySet<string>> {
    const { ended, stdout } = this.#place.startOffline([
      'ledger',
      'list',
      '--payment',
      'paying',
      '-o',
      'ids',
    ]);
    await ended;
    return new Set(stdout().split('\n'));
  }

  #spelled(): readonly string[] {
    return ['-c', `base-url=${this.#place.served.baseUrl.replace('127.0.0.1', 'localhost')}`];
  }

  /**
   * Pays some rewards by hand, and imports the file first with one column sorted, then correctly. Pays none if the cap
   * of the day is used up.
   */
  async #batch(): Promise<void> {
    const path = join(this.#place.folder, 'batch.csv');
    const lines = await this.#company.alone(() => this.#export(path));
    if (lines === undefined) return;
    const [header = '', ...rows] = lines;
    const columns = header.split(',');
    const filled = rows.map((row) => this.#payByHand(columns, row));
    // The column of a single payment cannot be sorted.
    const wrong = sortedApart(columns, filled, this.#company.random);
    if (wrong !== undefined) await this.#importSorted(path, [header, ...wrong], idsIn(columns, filled));
    writeFileSync(path, [header, ...filled, ''].join('\n'));
    await this.#untilDone([0, 6], ['rewards', 'import', path, '-o', 'none']);
  }

  /** Checks that nothing is imported from a file with a sorted column. */
  async #importSorted(path: string, lines: readonly string[], ids: ReadonlySet<string>): Promise<void> {
    writeFileSync(path, [...lines, ''].join('\n'));
    const before = await this.#underWay();
    await this.#expect([3], ['rewards', 'import', path, '-o', 'none']);
    const after = await this.#underWay();
    for (const id of ids) {
      if (!before.has(id) || !after.has(id))
        throw new Error(`${id} was taken from a file with a sorted column`);
    }
  }

  /** The lines of a batch; undefined if the cap of the day leaves no room for a payment. */
  async #export(path: string): Promise<readonly string[] | undefined> {
    for (let tries = 1; tries <= triesMaximum; tries += 1) {
      rmSync(path, { force: true });
      await this.#company.writeReviews();
      const most = ['--max-count', `${batchMost}`, ...this.#company.capFlags];
      const exitCode = await this.#run([
        'rewards',
        'export',
        path,
        '-o',
        'none',
        '--batch',
        'by-hand',
        ...most,
      ]);
      if (existsSync(path)) return readFileSync(path, 'utf8').trimEnd().split('\n');
      if (exitCode === 12 || exitCode === 1)
        throw new Error(`rewards export ended with ${exitCode}: ${this.#lastWords}`);
    }
    if (this.#lastWords.includes('rewards skipped because of a cap')) return undefined;
    throw new Error(`nothing was exported: ${this.#lastWords}`);
  }

  /** Completes the row with its result, which the payer's books record, too. */
  #payByHand(columns: readonly string[], row: string): string {
    const cells = row.split(',');
    const cell = (name: string) => cells[columns.indexOf(name)];
    const payment = {
      key: cell('key'),
      amount: Number(cell('amount')),
      member: cell('memberOriginId'),
      reward: cell('rewardId'),
      // No process paid it.
      pid: null,
      at: Date.now(),
    };
    const outcome = this.#company.random() < 0.8 ? 'paid' : 'refused';
    const moved = outcome === 'paid' ? [{ what: 'EFFECT', ...payment }] : [];
    this.#place.pay([{ what: 'CALL', ...payment }, ...moved, { what: 'ANSWER', ...payment, outcome }]);
    return row.replace(/,,,$/, outcome === 'paid' ? `,paid,R-${payment.reward},` : ',refused,,by hand');
  }

  #lastWords = '';

  #settle(options: StartOptions = {}, words: readonly string[] = []): Promise<number | null> {
    const settle = ['rewards', 'settle', '-o', 'none', '-c', 'retries=1', '-c', 'lock-wait=500ms', ...words];
    return this.#ended(this.#place.start(settle, { ...this.#company.surroundings(), ...options }));
  }

  #run(words: readonly string[], options?: StartOptions): Promise<number | null> {
    return this.#ended(this.#place.startOffline(words, options));
  }

  async #ended(settler: Settler): Promise<number | null> {
    const exitCode = await settler.ended;
    this.#company.noteEnd(settler);
    this.#lastWords = settler.stderr();
    return exitCode;
  }

  async #expect(
    exitCodes: readonly number[],
    words: readonly string[],
    options?: StartOptions,
  ): Promise<void> {
    const exitCode = await this.#run(words, options);
    if (exitCode !== null && exitCodes.includes(exitCode)) return;
    throw new Error(`${words.join(' ')} ended with ${exitCode}: ${this.#lastWords}`);
  }

  /** Repeats a command while the service is unreachable or another run is paying. */
  async #untilDone(exitCodes: readonly number[], words: readonly string[]): Promise<void> {
    for (let tries = 1; tries < triesMaximum; tries += 1) {
      const exitCode = await this.#run(words);
      if (exitCode !== null && exitCodes.includes(exitCode)) return;
    }
    await this.#expect(exitCodes, words);
  }

  /** Runs shell lines in the folder of the ledger, without a terminal. */
  async #shell(lines: string): Promise<number | null> {
    const { folder, environment } = this.#place;
    const ledgerPath = this.#place.ledgerPath();
    const commands = join(folder, 'commands');
    mkdirSync(commands, { recursive: true });
    const command = join(commands, 'reviewctl');
    if (!existsSync(command)) symlinkSync(resolve('bin', 'reviewctl.js'), command);
    const env = {
      ...environment,
      PATH: `${commands}:${environment['PATH']}`,
      REVIEWCTL_LEDGER: ledgerPath,
    };
    const child = spawn('bash', ['-c', `set -o pipefail\n${unasked(lines)}`], {
      cwd: dirname(ledgerPath),
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const words: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => words.push(chunk.toString()));
    const [exitCode]: (number | null)[] = await once(child, 'close');
    this.#lastWords = words.join('');
    return exitCode ?? null;
  }
}

function isSame(one: LedgerEvent, other: LedgerEvent | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function idsIn(columns: readonly string[], rows: readonly string[]): ReadonlySet<string> {
  return new Set(rows.map((row) => row.split(',')[columns.indexOf('rewardId')] ?? ''));
}

/** Shifts the cells of one column to the next row; undefined if no column would change. */
function sortedApart(
  columns: readonly string[],
  rows: readonly string[],
  random: Random,
): readonly string[] | undefined {
  const cells = rows.map((row) => row.split(','));
  const differing = sortable
    .map((name) => columns.indexOf(name))
    .filter((at) => new Set(cells.map((row) => row[at])).size > 1);
  const at = differing[Math.floor(random() * differing.length)];
  if (at === undefined) return undefined;
  return cells.map((row, index) => row.with(at, cells[(index + 1) % cells.length]?.[at] ?? '').join(','));
}

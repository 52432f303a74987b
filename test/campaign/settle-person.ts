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

/** What a person does to a ledger, beside those who pay by it. */
export const acts = ['backup', 'restore', 'copy', 'link', 'move', 'spelling', 'batch'] as const;

type Act = (typeof acts)[number];

/** Those who pay, as a person meets them. */
export interface Company {
  readonly random: Random;
  /** Flags of whatever claims rewards. */
  readonly capFlags: readonly string[];
  /** What those who pay are started with. */
  readonly surroundings: () => StartOptions;
  readonly writeReviews: () => Promise<void>;
  /** Does something while nobody runs, as with a cron job turned off. */
  readonly alone: <T>(body: () => Promise<T>) => Promise<T>;
  /** Notes how a process that pays has ended: its payer may have killed it. */
  readonly noteEnd: (settler: Settler) => void;
}

/** How often a person tries again what the service or another run kept from being done. */
const triesMaximum = 8;
const pauseMostMs = 600;
const batchMost = 6;
/** Columns that a person sorts apart from the rest. Their values differ from row to row, or are looked for again. */
const sortable = ['key', 'rewardId', 'memberOriginId', 'check'];

/** A person who does to a ledger what people do, in an order and at times of their own, and expects of each step what the documentation promises. */
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

  /** What was not as promised. */
  get troubles(): readonly string[] {
    return this.#troubles;
  }

  /** Changes whenever the person begins what may make a ledger be refused, rightly; undefined while that lasts. */
  get disturbances(): number | undefined {
    return this.#isDisturbing ? undefined : this.#disturbances;
  }

  /** The address of the service, as somebody may write it. */
  addressFlags(): readonly string[] {
    return this.#hasSpelling && this.#company.random() < 0.5 ? this.#spelled() : [];
  }

  /** Does everything once. */
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

  /** All acts in any order, but that a backup is made before it is used. */
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

  /** Loses the ledger, and does what `docs/ledger-operations.md` says, with a statement of all the payer has paid. */
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
    // By a statement without payments nobody can see that it is whole.
    const way = statement.length > 1 ? comparing : 'reviewctl ledger unfreeze --without-statement';
    for (let tries = 1; (await this.#shell(way)) !== 0; tries += 1) {
      if (tries === triesMaximum)
        throw new Error(`the recipe of docs/ledger-operations.md does not end: ${this.#lastWords}`);
    }
  }

  /** What the payer says that it paid. */
  #statement(): readonly string[] {
    const effects = this.#place.payments().filter(({ what }) => what === 'EFFECT');
    const lines = effects.map(({ key, amount }) => `${JSON.stringify(key)},${JSON.stringify(amount)}`);
    return ['key,amount', ...lines];
  }

  /** Settles by a copy of the file, made while others write it, at the same time as they. */
  async #copy(): Promise<void> {
    const twin = join(this.#place.folder, 'twin.db');
    copyLedger(this.#place.ledgerPath(), twin);
    const exitCode = await this.#settle({ ledgerPath: twin });
    if (exitCode !== 12) throw new Error(`a copy of the ledger was settled with exit ${exitCode}`);
    removeLedger(twin);
  }

  /** Settles by another name of the file. */
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

  /** Copies the ledger while nobody runs and moves to the copy while others run again by the old one; if that is too late, while nobody does. */
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

  /** Settles by another spelling of the address of the service, which the ledger has to learn first. */
  async #spell(): Promise<void> {
    const missed = await this.#settle({}, this.#spelled());
    if (missed !== 12) throw new Error(`a service of an unknown name was settled with exit ${missed}`);
    await this.#untilDone([0], ['ledger', 'accept', '--complete', ...this.#spelled(), '--yes']);
    this.#hasSpelling = true;
    const known = await this.#settle({}, this.#spelled());
    if (known === 12) throw new Error(`the ledger did not learn the name of the service: ${this.#lastWords}`);
  }

  /** The rewards of which nobody has said what became of them. */
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

  /** Pays some rewards by hand, imports the file with one column sorted, and then as it should be. None where the cap of the day is used up. */
  async #batch(): Promise<void> {
    const path = join(this.#place.folder, 'batch.csv');
    const lines = await this.#company.alone(() => this.#export(path));
    if (lines === undefined) return;
    const [header = '', ...rows] = lines;
    const columns = header.split(',');
    const filled = rows.map((row) => this.#payByHand(columns, row));
    // A single payment cannot be sorted apart from others.
    const wrong = sortedApart(columns, filled, this.#company.random);
    if (wrong !== undefined) await this.#importSorted(path, [header, ...wrong], idsIn(columns, filled));
    writeFileSync(path, [header, ...filled, ''].join('\n'));
    await this.#untilDone([0, 6], ['rewards', 'import', path, '-o', 'none']);
  }

  /** Nothing of a file with a column sorted is taken. */
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

  /** The lines of a batch; undefined where no payment has room under the cap of the day. */
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

  /** The row with what came of it, which the books of the payer have too. */
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

  /** Tries again, as whoever is told that the service is away or that another run is paying. */
  async #untilDone(exitCodes: readonly number[], words: readonly string[]): Promise<void> {
    for (let tries = 1; tries < triesMaximum; tries += 1) {
      const exitCode = await this.#run(words);
      if (exitCode !== null && exitCodes.includes(exitCode)) return;
    }
    await this.#expect(exitCodes, words);
  }

  /** Runs lines in the folder of the ledger; nobody can be asked there. */
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

/** The rows with the cells of one column handed on to the next row; undefined where no column would differ. */
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

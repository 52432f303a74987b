import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { pick, type Random, seededRandom } from '../../src/base/random.ts';
import { hasBugs, type LoggedPayment, loggedPayments } from './service-and-payer.ts';
import type { SettlePlace, Settler, StartOptions } from './settle-place.ts';
import { SettlerLoops } from './settler-loops.ts';

/** Machines that share a ledger. Each has its own state folder, with its own marks and call records. */
export const machineNames = ['m0', 'm1', 'm2', 'm3'] as const;

/** One of these machines, or one added later. */
export type MachineName = (typeof machineNames)[number] | 'new';

/** A phase of a round, with the exit codes of runs that begin and end within it. */
interface Part {
  readonly name: string;
  /** Any if left out. */
  readonly expected?: readonly number[];
  readonly unexpected?: readonly number[];
}

/** While the ledger has no problem. */
const calm: Part = { name: 'all is well', unexpected: [7, 12] };

/** The end of a command; the exit code is null if it was killed. */
interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `isCalm` disables the payer's faults. */
type MachineOptions = StartOptions & { readonly isCalm?: boolean };

export const settleWords = ['rewards', 'settle', '-o', 'none', '-c', 'retries=0', '-c', 'lock-wait=500ms'];

/** The payer's faults, as named in `logging-payer.mjs`. */
const payerFaults = 'retry=0.04,crash-before=0.05,crash-after=0.07,silent=0.05,late=0.05';
/**
 * Exit codes that are possible at any time: killed, terminated, without a server or service, or locked by another run.
 */
const everywhere: readonly (number | null)[] = [null, 5, 9, 143];
const noiseSeed = 2_000_000;
const killsMaximum = 6;
/** The share of commands typed by a person that are killed. */
const struckShare = 0.1;
const struckMostMs = 500;
/** Minimum and maximum pause of a machine between two settlements. */
const pauseMs = { least: 1_000, most: 4_000 };
const pollMs = 10;
/** Time limit for expected events. */
const patienceMs = 60_000;
/** Attempts of a person to repeat a command that a crash or another run prevented. */
const triesMaximum = 8;

/** The machines of one round, with the programs that run there repeatedly and the commands that people type. */
export class Machines {
  readonly place: SettlePlace;
  readonly loops: SettlerLoops;
  /** The events, in order. */
  readonly log: string[] = [];
  readonly killed: number[] = [];
  /** Random choices of the disaster and of people's reactions. */
  readonly #random: Random;
  /** Random choices whose number depends on the speed of the machine. */
  readonly #noise: Random;
  readonly #troubles = new Map<string, string>();
  readonly #beganMs = Date.now();
  /** Per machine, the number of runs begun, and the last run that ended. */
  readonly #runs = new Map<string, { begun: number; ended: number }>();
  readonly #receivers = new Set<string>();
  readonly #lastExits = new Map<string, number | null>();
  #part = calm;
  #refusedBy: string | undefined;

  constructor(place: SettlePlace, seed: number) {
    this.place = place;
    this.#random = seededRandom(seed);
    this.#noise = seededRandom(seed + noiseSeed);
    this.loops = new SettlerLoops({
      watch: (name) => this.#watch(name),
      noteTrouble: (trouble) => this.noteTrouble(trouble),
      pauseMs: () => pauseMs.least + this.#noise() * (pauseMs.most - pauseMs.least),
    });
  }

  /** A random integer from 0 to below `count`. */
  draw(count: number): number {
    return Math.floor(this.#random() * count);
  }

  anyOf<T>(values: readonly T[]): T {
    const value = values[this.draw(values.length)];
    if (value === undefined) throw new Error('there is nothing to choose from');
    return value;
  }

  /** The values in random order. */
  shuffled<T>(values: readonly T[]): readonly T[] {
    const drawn = values.map((value) => ({ value, at: this.#random() }));
    return drawn.toSorted((one, other) => one.at - other.at).map(({ value }) => value);
  }

  note(line: string): void {
    this.log.push(`${((Date.now() - this.#beganMs) / 1_000).toFixed(2).padStart(6)}  ${line}`);
  }

  /** Records a repeated problem once. */
  noteTrouble(trouble: string, about = trouble): void {
    this.note(`BROKEN: ${trouble}`);
    if (!this.#troubles.has(about)) this.#troubles.set(about, trouble);
  }

  /** Promises broken according to exit codes. */
  get troubles(): readonly string[] {
    return [...this.#troubles.values()];
  }

  enter(part: Part): void {
    this.note(`-- ${part.name}`);
    this.#part = part;
    this.#refusedBy = undefined;
  }

  enterCalm(): void {
    this.enter(calm);
  }

  /** The environment of a command on a machine. */
  on(name: MachineName, { isCalm = false, ...more }: MachineOptions = {}) {
    const faults = isCalm ? '' : payerFaults;
    const env = { ...machineEnvironment(this.place.folder, name), PAYER_FAULTS: faults, ...more.env };
    return { ...more, env };
  }

  /** Makes a machine settle repeatedly. */
  keepSettling(name: MachineName): void {
    this.#runs.set(name, { begun: 0, ended: 0 });
    this.loops.keepUp(name, () => this.place.start(settleWords, this.on(name)));
  }

  /** True if a program runs there repeatedly. */
  isAtWork(name: MachineName): boolean {
    return this.#runs.has(name) || this.#receivers.has(name);
  }

  /** Makes a machine answer webhooks. */
  keepReceiving(name: MachineName): void {
    this.#receivers.add(name);
    this.loops.keepUp(name, () => this.place.startReceiver(this.on(name)));
  }

  /** Resolves once each of these machines that settle has completed a settlement begun from now on. */
  async pass(names: readonly string[]): Promise<void> {
    const since = names
      .filter((name) => this.#runs.has(name) && !this.#receivers.has(name))
      .map((name) => ({ name, begun: this.#runs.get(name)?.begun ?? 0 }));
    this.loops.hurry();
    await this.until(`${names.join(', ')} settled`, () =>
      since.every(({ name, begun }) => (this.#runs.get(name)?.ended ?? 0) > begun),
    );
  }

  /** Resolves once a run has ended with 12 in this phase; returns its machine. */
  async untilRefused(): Promise<string> {
    this.loops.hurry();
    await this.until('a machine noticed it', () => this.#refusedBy !== undefined);
    return this.#refusedBy ?? '';
  }

  /** Resolves once the payer has made that many payments. */
  async untilPaid(count: number): Promise<void> {
    await this.until(`${count} rewards were paid`, () => this.effects().length >= count);
  }

  /** The payments made by the payer. */
  effects(): readonly LoggedPayment[] {
    return loggedPayments(this.place, 'EFFECT');
  }

  /** @throws if it does not become true in time. */
  async until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
    const untilMs = systemClock.monotonicMs() + patienceMs;
    while (!(await isTrue())) {
      if (systemClock.monotonicMs() > untilMs)
        throw new Error(`it took more than ${patienceMs / 1_000} s until ${what}`);
      await systemClock.sleep(pollMs);
    }
  }

  /** Kills one of the repeated processes. */
  async killOne(): Promise<void> {
    const [first, ...others] = this.loops.living;
    if (first === undefined || this.killed.length >= killsMaximum) return;
    const [name, settler] = pick(this.#noise, [first, ...others]);
    this.note(`kill -KILL on ${name}`);
    settler.child.kill('SIGKILL');
    await settler.ended;
  }

  /** Runs a command typed by a person on a machine. */
  async once(name: MachineName, words: readonly string[], options: MachineOptions = {}): Promise<Ended> {
    return this.#ended(name, words, this.#start(name, words, options));
  }

  /** As `once`; sometimes kills the command and runs it again. */
  async run(name: MachineName, words: readonly string[], options: MachineOptions = {}): Promise<Ended> {
    if (this.killed.length >= killsMaximum || this.#noise() >= struckShare)
      return this.once(name, words, options);
    const settler = this.#start(name, words, options);
    await Promise.race([settler.ended, systemClock.sleep(this.#noise() * struckMostMs)]);
    settler.child.kill('SIGKILL');
    const ended = await this.#ended(name, words, settler);
    return ended.exitCode === null ? this.run(name, words, options) : ended;
  }

  /** As `run`, until it ends with one of these codes, once the server is reachable. @throws if it does not. */
  async untilDone(
    name: MachineName,
    words: readonly string[],
    exitCodes: readonly number[] = [0],
  ): Promise<Ended> {
    for (let tries = 1; ; ) {
      const ended = await this.run(name, words);
      if (ended.exitCode !== null && exitCodes.includes(ended.exitCode)) return ended;
      // A server takes some time to start after a crash.
      if (ended.exitCode !== 5) tries += 1;
      if (tries > triesMaximum)
        throw new Error(`on ${name}, reviewctl ${words.join(' ')} ends with ${inWords(ended)}`);
    }
  }

  /** As `run`; records any other exit code as a broken promise. */
  async expect(
    name: MachineName,
    words: readonly string[],
    exitCodes: readonly number[],
    options: MachineOptions = {},
  ): Promise<Ended> {
    const ended = await this.run(name, words, options);
    if (!isExpected(ended, { expected: exitCodes }))
      this.noteTrouble(`on ${name}, reviewctl ${words.join(' ')} ended with ${inWords(ended)}`);
    return ended;
  }

  #start(name: MachineName, words: readonly string[], options: MachineOptions): Settler {
    const surroundings = this.on(name, options);
    return words[0] === 'rewards'
      ? this.place.start(words, surroundings)
      : this.place.startOffline(words, surroundings);
  }

  async #ended(name: string, words: readonly string[], settler: Settler): Promise<Ended> {
    const exitCode = await settler.ended;
    const ended = { exitCode, stdout: settler.stdout(), stderr: settler.stderr() };
    this.note(`${name}$ reviewctl ${words.join(' ')} -> ${inWords(ended)}`);
    this.#judge(name, settler, ended);
    return ended;
  }

  #watch(name: string) {
    const runs = this.#runs.get(name) ?? { begun: 0, ended: 0 };
    this.#runs.set(name, runs);
    runs.begun += 1;
    const run = runs.begun;
    const part = this.#part;
    return (settler: Settler, exitCode: number | null) => {
      runs.ended = run;
      const ended = { exitCode, stdout: '', stderr: settler.stderr() };
      if (exitCode === 12) this.#refusedBy ??= name;
      if (this.#lastExits.get(name) !== exitCode) this.note(`${name} -> ${inWords(ended)}`);
      this.#lastExits.set(name, exitCode);
      this.#judge(name, settler, ended);
      if (part === this.#part && !isExpected(ended, part))
        this.noteTrouble(
          `while ${part.name}, ${name} ended with ${inWords(ended)}`,
          `${part.name} ${name} ${exitCode}`,
        );
    };
  }

  #judge(name: string, { child, ...settler }: Settler, ended: Ended): void {
    if (child.signalCode === 'SIGKILL' && child.pid !== undefined) this.killed.push(child.pid);
    if (ended.exitCode === 1 || hasBugs(settler))
      this.noteTrouble(`${name} ended with ${ended.exitCode}: ${ended.stderr}`);
  }
}

/** The environment specific to a machine, and the settings common to all. */
export function machineEnvironment(folder: string, name: MachineName): Record<string, string> {
  return {
    REVIEWCTL_STATE_DIR: join(folder, name),
    REVIEWCTL_SHOP: 'shop',
    REVIEWCTL_CLAIM_LEASE: '5s',
    PAYER_DELAY_MS: '20',
    PAYER_REFUSED: '0.05',
  };
}

function isExpected({ exitCode }: Ended, { expected, unexpected = [] }: Omit<Part, 'name'>): boolean {
  if (exitCode === null || everywhere.includes(exitCode)) return true;
  return (expected?.includes(exitCode) ?? true) && !unexpected.includes(exitCode);
}

/** `12: error: the ledger … is out of date`. */
function inWords({ exitCode, stderr }: Ended): string {
  const line = stderr.split('\n').find((text) => /^(?:error|warning): /.test(text));
  return `${exitCode ?? 'killed'}${line === undefined ? '' : `: ${line}`}`;
}

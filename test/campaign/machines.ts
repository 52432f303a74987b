import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { pick, type Random, seededRandom } from '../../src/base/random.ts';
import { hasBugs, type LoggedPayment, loggedPayments } from './service-and-payer.ts';
import type { SettlePlace, Settler, StartOptions } from './settle-place.ts';
import { SettlerLoops } from './settler-loops.ts';

/** Machines that share a ledger. Each has a state folder of its own, and so its own marks and call records. */
export const machineNames = ['m0', 'm1', 'm2', 'm3'] as const;

/** One of them, or one that comes later. */
export type MachineName = (typeof machineNames)[number] | 'new';

/** A part of a round, with the exit codes of the runs that begin and end within it. */
interface Part {
  readonly name: string;
  /** Left out where any will do. */
  readonly expected?: readonly number[];
  readonly unexpected?: readonly number[];
}

/** While nothing is the matter with the ledger. */
const calm: Part = { name: 'all is well', unexpected: [7, 12] };

/** How a command ended; the exit code is null for one that was killed. */
interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `isCalm` leaves out what goes wrong at the payer. */
type MachineOptions = StartOptions & { readonly isCalm?: boolean };

export const settleWords = ['rewards', 'settle', '-o', 'none', '-c', 'retries=0', '-c', 'lock-wait=500ms'];

/** What goes wrong at the payer, by the names of `logging-payer.mjs`. */
const payerFaults = 'retry=0.04,crash-before=0.05,crash-after=0.07,silent=0.05,late=0.05';
/** How a run may end at any time: killed, told to stop, without a server or a service, or beside another run. */
const everywhere: readonly (number | null)[] = [null, 5, 9, 143];
const noiseSeed = 2_000_000;
const killsMaximum = 6;
/** How often a command that a person types is killed. */
const struckShare = 0.1;
const struckMostMs = 500;
/** How long a machine that has settled waits before it does so again, at least and at most. */
const pauseMs = { least: 1_000, most: 4_000 };
const pollMs = 10;
/** How long what has to happen may take. */
const patienceMs = 60_000;
/** How often a person repeats a command that a crash or another run kept from being done. */
const triesMaximum = 8;

/** The machines of one round, what runs on them over and over, and what people type there. */
export class Machines {
  readonly place: SettlePlace;
  readonly loops: SettlerLoops;
  /** What happened, in order. */
  readonly log: string[] = [];
  readonly killed: number[] = [];
  /** Decides what befalls the ledger and what people do about it. */
  readonly #random: Random;
  /** Decides what is drawn as often as the machine is fast. */
  readonly #noise: Random;
  readonly #troubles = new Map<string, string>();
  readonly #beganMs = Date.now();
  /** How often each machine has begun, and which of these runs has ended last. */
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

  /** A whole number from 0 to below `count`. */
  draw(count: number): number {
    return Math.floor(this.#random() * count);
  }

  anyOf<T>(values: readonly T[]): T {
    const value = values[this.draw(values.length)];
    if (value === undefined) throw new Error('there is nothing to choose from');
    return value;
  }

  /** All of them, in any order. */
  shuffled<T>(values: readonly T[]): readonly T[] {
    const drawn = values.map((value) => ({ value, at: this.#random() }));
    return drawn.toSorted((one, other) => one.at - other.at).map(({ value }) => value);
  }

  note(line: string): void {
    this.log.push(`${((Date.now() - this.#beganMs) / 1_000).toFixed(2).padStart(6)}  ${line}`);
  }

  /** What is broken over and over is noted once. */
  noteTrouble(trouble: string, about = trouble): void {
    this.note(`BROKEN: ${trouble}`);
    if (!this.#troubles.has(about)) this.#troubles.set(about, trouble);
  }

  /** Promises that were broken, as far as exit codes show it. */
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

  /** What a command on a machine is started with. */
  on(name: MachineName, { isCalm = false, ...more }: MachineOptions = {}) {
    const faults = isCalm ? '' : payerFaults;
    const env = { ...machineEnvironment(this.place.folder, name), PAYER_FAULTS: faults, ...more.env };
    return { ...more, env };
  }

  /** Has a machine settle over and over. */
  keepSettling(name: MachineName): void {
    this.#runs.set(name, { begun: 0, ended: 0 });
    this.loops.keepUp(name, () => this.place.start(settleWords, this.on(name)));
  }

  /** Whether something runs there over and over. */
  isAtWork(name: MachineName): boolean {
    return this.#runs.has(name) || this.#receivers.has(name);
  }

  /** Has a machine answer webhooks. */
  keepReceiving(name: MachineName): void {
    this.#receivers.add(name);
    this.loops.keepUp(name, () => this.place.startReceiver(this.on(name)));
  }

  /** Resolves when each of these that settles has done so, from beginning to end, from now on. */
  async pass(names: readonly string[]): Promise<void> {
    const since = names
      .filter((name) => this.#runs.has(name) && !this.#receivers.has(name))
      .map((name) => ({ name, begun: this.#runs.get(name)?.begun ?? 0 }));
    this.loops.hurry();
    await this.until(`${names.join(', ')} settled`, () =>
      since.every(({ name, begun }) => (this.#runs.get(name)?.ended ?? 0) > begun),
    );
  }

  /** Resolves when a run has ended with 12 since this part began; returns on which machine. */
  async untilRefused(): Promise<string> {
    this.loops.hurry();
    await this.until('a machine noticed it', () => this.#refusedBy !== undefined);
    return this.#refusedBy ?? '';
  }

  /** Resolves when the payer has made so many payments. */
  async untilPaid(count: number): Promise<void> {
    await this.until(`${count} rewards were paid`, () => this.effects().length >= count);
  }

  /** The payments that the payer has made. */
  effects(): readonly LoggedPayment[] {
    return loggedPayments(this.place, 'EFFECT');
  }

  /** @throws where it does not come true in time. */
  async until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
    const untilMs = systemClock.monotonicMs() + patienceMs;
    while (!(await isTrue())) {
      if (systemClock.monotonicMs() > untilMs)
        throw new Error(`it took more than ${patienceMs / 1_000} s until ${what}`);
      await systemClock.sleep(pollMs);
    }
  }

  /** Kills one of the processes that run over and over. */
  async killOne(): Promise<void> {
    const [first, ...others] = this.loops.living;
    if (first === undefined || this.killed.length >= killsMaximum) return;
    const [name, settler] = pick(this.#noise, [first, ...others]);
    this.note(`kill -KILL on ${name}`);
    settler.child.kill('SIGKILL');
    await settler.ended;
  }

  /** Runs a command that a person types on a machine. */
  async once(name: MachineName, words: readonly string[], options: MachineOptions = {}): Promise<Ended> {
    return this.#ended(name, words, this.#start(name, words, options));
  }

  /** As `once`; sometimes it is killed, and then typed again. */
  async run(name: MachineName, words: readonly string[], options: MachineOptions = {}): Promise<Ended> {
    if (this.killed.length >= killsMaximum || this.#noise() >= struckShare)
      return this.once(name, words, options);
    const settler = this.#start(name, words, options);
    await Promise.race([settler.ended, systemClock.sleep(this.#noise() * struckMostMs)]);
    settler.child.kill('SIGKILL');
    const ended = await this.#ended(name, words, settler);
    return ended.exitCode === null ? this.run(name, words, options) : ended;
  }

  /** As `run`, until it ends with one of these codes, once the server can be reached. @throws where it does not. */
  async untilDone(
    name: MachineName,
    words: readonly string[],
    exitCodes: readonly number[] = [0],
  ): Promise<Ended> {
    for (let tries = 1; ; ) {
      const ended = await this.run(name, words);
      if (ended.exitCode !== null && exitCodes.includes(ended.exitCode)) return ended;
      // A server that has crashed takes its time to start.
      if (ended.exitCode !== 5) tries += 1;
      if (tries > triesMaximum)
        throw new Error(`on ${name}, reviewctl ${words.join(' ')} ends with ${inWords(ended)}`);
    }
  }

  /** As `run`; another exit code is noted as a broken promise. */
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

/** What sets a machine apart, and how all of them settle. */
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

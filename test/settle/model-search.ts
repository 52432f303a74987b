/** A possible event in a state: its description and the next state. */
export interface Move<State> {
  readonly words: string;
  readonly next: State;
  /** The promise that the move breaks. */
  readonly breach?: string | undefined;
}

export interface Parted<State> {
  readonly initial: State;
  /**
   * The parts of a state, always in the same number and order. They are values without identity, shared between states.
   */
  partsOf(state: State): readonly object[];
  stateOf(parts: readonly object[]): State;
}

/** A system to search: its initial state and its moves. */
export interface Machine<State> extends Parted<State> {
  moves(state: State): readonly Move<State>[];
  /** The promise that a state breaks, regardless of the moves to it. */
  breachIn(state: State): string | undefined;
}

export interface Found {
  readonly breach: string;
  /** The shortest path to the breach, in words. */
  readonly trace: readonly string[];
}

export interface SearchReport {
  readonly states: number;
  readonly moves: number;
  /** Undefined if every reachable state keeps every promise. */
  readonly found: Found | undefined;
  /** False if the search stopped at its bound before all states were visited. */
  readonly isComplete: boolean;
}

/**
 * Visits every reachable state, nearest first, until a promise is broken. A state is stored as a short string, a
 * character for each of its parts, so that millions fit into memory. The path to a state is reconstructed from the
 * moves.
 */
export function search<State>(
  machine: Machine<State>,
  { statesMaximum }: { readonly statesMaximum: number },
): SearchReport {
  const codec = new StateCodec(machine);
  const start = codec.encode(machine.initial);
  const known = new Set([start]);
  const states = [start];
  const parents = [-1];
  let moves = 0;
  const report = (found?: Found): SearchReport => ({
    states: states.length,
    moves,
    found,
    isComplete: states.length < statesMaximum,
  });
  for (let index = 0; index < states.length && states.length < statesMaximum; index += 1) {
    const state = codec.decode(states[index] ?? '');
    for (const { words, next, breach } of machine.moves(state)) {
      moves += 1;
      const code = codec.encode(next);
      const isNew = !known.has(code);
      const broken = breach ?? (isNew ? machine.breachIn(next) : undefined);
      if (broken !== undefined) {
        const trace = [...wayTo(index, { machine, codec, states, parents }), words];
        return report({ breach: broken, trace });
      }
      if (!isNew) continue;
      known.add(code);
      states.push(code);
      parents.push(index);
    }
  }
  return report();
}

/** A readable report of a broken promise. */
export function traceText({ breach, trace }: Found): string {
  return [`broken: ${breach}`, ...trace.map((words, index) => `${index + 1}. ${words}`)].join('\n');
}

interface Walked<State> {
  readonly machine: Machine<State>;
  readonly codec: StateCodec<State>;
  readonly states: readonly string[];
  readonly parents: readonly number[];
}

function wayTo<State>(index: number, { machine, codec, states, parents }: Walked<State>): string[] {
  const trace: string[] = [];
  for (let at = index; (parents[at] ?? -1) >= 0; at = parents[at] ?? -1) {
    const before = codec.decode(states[parents[at] ?? 0] ?? '');
    const taken = machine.moves(before).find(({ next }) => codec.encode(next) === states[at]);
    trace.unshift(taken?.words ?? '');
  }
  return trace;
}

/** Encodes states as strings and decodes them; equal states have equal strings. */
export class StateCodec<State> {
  readonly #machine: Parted<State>;
  readonly #slots: readonly Slot[];

  constructor(machine: Parted<State>) {
    this.#machine = machine;
    this.#slots = machine.partsOf(machine.initial).map(() => new Slot());
  }

  encode(state: State): string {
    const parts = this.#machine.partsOf(state);
    return String.fromCharCode(...this.#slots.map((slot, index) => slot.idOf(parts[index] ?? {})));
  }

  decode(code: string): State {
    return this.#machine.stateOf(this.#slots.map((slot, index) => slot.partOf(code.charCodeAt(index))));
  }
}

/** An id must fit into one character of a string. */
const partsMaximum = 65_536;

/** The distinct values of one part of a state, each stored once. */
class Slot {
  readonly #parts: object[] = [];
  readonly #idOfText = new Map<string, number>();
  /** Most moves keep most parts, which are then found here without serialization. */
  readonly #idOfPart = new WeakMap<object, number>();

  idOf(part: object): number {
    const known = this.#idOfPart.get(part);
    if (known !== undefined) return known;
    const text = JSON.stringify(part, writeBigint);
    const id = this.#idOfText.get(text) ?? this.#add(text, part);
    this.#idOfPart.set(part, id);
    return id;
  }

  partOf(id: number): object {
    return this.#parts[id] ?? {};
  }

  #add(text: string, part: object): number {
    const id = this.#parts.length;
    if (id === partsMaximum) throw new Error('a part of the model has too many values for one character');
    this.#parts.push(part);
    this.#idOfText.set(text, id);
    return id;
  }
}

function writeBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

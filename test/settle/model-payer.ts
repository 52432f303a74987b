import type { Move } from './model-search.ts';
import {
  type Books,
  effectsOf,
  type KeyRecord,
  type OutstandingCall,
  type PlannedCall,
  rewardAt,
  type Setting,
  type State,
  tickMs,
  withProcess,
  withReward,
} from './model-state.ts';

/*
 * The worst payer that keeps its declared promises. A call arrives at any time, even after its caller gave up or died,
 * or never. If the payer honours keys, or its books are trusted, a call arrives within the quiet time and while the key
 * is valid.
 */

/** The payer's decision on a call that arrives. */
type Landing = 'paid' | 'refused' | 'retry';

/** Possible moves of the outstanding calls for a reward. */
export function payerMoves(state: State, reward: number, setting: Setting): Move<State>[] {
  const { books } = rewardAt(state, reward);
  const isPoisoned = reward < setting.poisoned;
  return books.calls.flatMap((call) => [
    ...(isPoisoned
      ? []
      : landings(books, call, state, setting).flatMap((landing) =>
          landed(state, { reward, call, landing, setting }),
        )),
    {
      words: `call ${call.attempt} of reward ${reward} is lost on its way`,
      next: withReward(state, reward, { books: withoutCall(books, call) }),
    },
  ]);
}

function landings(
  { keys }: Books,
  { key }: OutstandingCall,
  { world }: State,
  { capabilities }: Setting,
): readonly Landing[] {
  const remembered = keys.find(
    (record) => record.key === key && isRemembered(record, world.tick, capabilities),
  );
  if (remembered?.answer === 'paid') return ['paid'];
  if (remembered?.answer === 'refused' && capabilities.replaysResponse) return ['refused'];
  return ['paid', 'refused', 'retry'];
}

function isRemembered(
  { firstTick }: KeyRecord,
  tick: number,
  { idempotentForMs }: Setting['capabilities'],
): boolean {
  return idempotentForMs !== null && (tick - firstTick) * tickMs < idempotentForMs;
}

interface Landed {
  readonly reward: number;
  readonly call: OutstandingCall;
  readonly landing: Landing;
  readonly setting: Setting;
}

/** A call arrives. Its answer is returned, left for a later process, or lost. */
function landed(state: State, { reward, call, landing, setting }: Landed): Move<State>[] {
  const { books, row } = rewardAt(state, reward);
  const after = withoutCall(recorded(books, call, { landing, tick: state.world.tick, setting }), call);
  const isNewest = row.entry?.attempt === call.attempt;
  const left =
    landing !== 'retry' && setting.leavesEvidence && isNewest
      ? { ...after, evidence: { attempt: call.attempt, kind: landing } }
      : after;
  const waiting = state.processes.findIndex(
    ({ at }) => at.kind === 'waiting' && at.reward === reward && at.attempt === call.attempt,
  );
  const caller = state.processes[waiting]?.at;
  const what = `the payer ${words[landing]} call ${call.attempt} of reward ${reward}`;
  const moves: Move<State>[] = [
    { words: `${what}, unheard`, next: withReward(state, reward, { books: after }) },
  ];
  if (left !== after) {
    const next = withReward(state, reward, { books: left });
    moves.push({ words: `${what}, unheard, but leaves its answer`, next });
  }
  if (caller?.kind === 'waiting') {
    const answer = landing === 'retry' ? { kind: landing, message: 'later' } : { kind: landing };
    const at = { ...caller, kind: 'answered', answer } as const;
    const next = withProcess(withReward(state, reward, { books: left }), waiting, at);
    moves.push({ words: `${what} and says so`, next });
  }
  return moves;
}

const words = { paid: 'pays', refused: 'refuses', retry: 'puts off' } as const satisfies Record<
  Landing,
  string
>;

function recorded(
  books: Books,
  { key }: OutstandingCall,
  {
    landing,
    tick,
    setting: { capabilities },
  }: { readonly landing: Landing; readonly tick: number; readonly setting: Setting },
): Books {
  if (landing === 'retry') return books;
  const known = books.keys.find((record) => record.key === key);
  const others = books.keys.filter((record) => record !== known);
  const isKnown = known !== undefined && isRemembered(known, tick, capabilities);
  const isRepeat = isKnown && known.answer === 'paid';
  if (isRepeat) return books;
  const effects = (known?.effects ?? 0) + (landing === 'paid' ? 1 : 0);
  // A payer without idempotency remembers no keys.
  const firstTick = capabilities.idempotentForMs === null ? 0 : isKnown ? known.firstTick : tick;
  return { ...books, keys: [...others, { key, firstTick, answer: landing, effects }] };
}

function withoutCall(books: Books, call: OutstandingCall): Books {
  return { ...books, calls: books.calls.filter((other) => other !== call) };
}

/** The books after a call has left. */
export function withCall(
  books: Books,
  { key, amount, attempt }: PlannedCall,
  {
    tick,
    firstTick,
    setting,
  }: { readonly tick: number; readonly firstTick: number; readonly setting: Setting },
): Books {
  const { idempotentForMs, lookupDelayMs } = setting.capabilities;
  const keyEnd = idempotentForMs === null ? Infinity : firstTick + Math.ceil(idempotentForMs / tickMs);
  const ends = [
    keyEnd > tick ? keyEnd : Infinity,
    setting.hasLookup || idempotentForMs !== null ? tick + lookupDelayMs / tickMs : Infinity,
  ];
  const endTick = Math.min(...ends);
  const call = { key, amount, attempt, endTick: endTick === Infinity ? null : endTick };
  return { ...books, calls: [...books.calls, call] };
}

/** True if the payer's books show a payment with this key. */
export function isInBooks({ keys }: Books, key: string | undefined): boolean {
  return keys.some((record) => record.key === key && record.effects > 0);
}

/** True if nothing was paid for a reward, and no call is outstanding. */
export function isProvablyUnpaid(books: Books): boolean {
  return effectsOf(books) === 0 && books.calls.length === 0;
}

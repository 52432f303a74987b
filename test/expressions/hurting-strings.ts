import { type Pick, type Pieces, patternSample } from './pattern-sample.ts';

/**
 * A string made to hurt a regular expression: pieces of what it matches, repeated, after what may come before them and
 * before what must not come after.
 */
export interface HurtingString {
  readonly start: string;
  readonly repeated: string;
  readonly end: string;
}

const samples = 20;
/** Pieces that are repeated together; all pieces up to some place are, however many. */
const repeatedMaximum = 3;

/** Texts with which nearly no match ends. */
const mismatches = ['', '\0', '!\n'];

/** The strings for an expression: the same each time. */
export function hurtingStrings(expression: RegExp): HurtingString[] {
  const sample = patternSample(expression);
  const pick = seededPick();
  const made = new Map<string, HurtingString>();
  for (let index = 0; index < samples; index += 1) {
    for (const string of pumped(sample(pick, []))) made.set(JSON.stringify(string), string);
  }
  return [...made.values()];
}

/** The string with its repeated part as often as the length holds it. */
export function stringOfLength({ start, repeated, end }: HurtingString, length: number): string {
  const room = length - start.length - end.length;
  return start + repeated.repeat(Math.max(1, Math.floor(room / repeated.length))) + end;
}

function* pumped(pieces: Pieces): Generator<HurtingString> {
  for (let from = 0; from < pieces.length; from += 1) {
    for (let to = from + 1; to <= pieces.length; to += 1) {
      if (from > 0 && to - from > repeatedMaximum) break;
      const repeated = pieces.slice(from, to).join('');
      if (repeated !== '')
        yield* withEnds(pieces.slice(0, from).join(''), repeated, pieces.slice(to).join(''));
    }
  }
}

function* withEnds(start: string, repeated: string, rest: string): Generator<HurtingString> {
  for (const end of mismatches) {
    yield { start, repeated, end };
    yield { start: '', repeated, end };
  }
  yield { start, repeated, end: `${rest}!` };
}

/** Numbers of a linear congruential generator. */
function seededPick(): Pick {
  let state = 1;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

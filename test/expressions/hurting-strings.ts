import { type Pick, type Pieces, patternSample } from './pattern-sample.ts';

/**
 * A string on which a regular expression may be slow: repeated pieces that it matches, after a matching start and
 * before an end that prevents the match.
 */
export interface HurtingString {
  readonly start: string;
  readonly repeated: string;
  readonly end: string;
}

const samples = 20;
/** The most pieces that are repeated together, except from the start of a sample. */
const repeatedMaximum = 3;

/** Texts that end almost no match. */
const mismatches = ['', '\0', '!\n'];

/** The strings for an expression, the same on each run. */
export function hurtingStrings(expression: RegExp): HurtingString[] {
  const sample = patternSample(expression);
  const pick = seededPick();
  const made = new Map<string, HurtingString>();
  for (let index = 0; index < samples; index += 1) {
    for (const string of pumped(sample(pick, []))) made.set(JSON.stringify(string), string);
  }
  return [...made.values()];
}

/** The string with as many repetitions as fit the length. */
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

/** A linear congruential generator with a fixed seed. */
function seededPick(): Pick {
  let state = 1;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

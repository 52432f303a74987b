/** The texts that the atoms of a pattern match, in order. */
export type Pieces = readonly string[];

/** Returns an integer from 0 to below a bound. */
export type Pick = (bound: number) => number;

/** Generates a text that a pattern, or a part of it, matches; `groups` are the texts of its groups so far. */
export type Sample = (pick: Pick, groups: string[]) => Pieces;

/** Characters to test atoms with, besides those of the pattern itself. */
const characters = [
  ...Array.from('aZ09_ -./:,;=|"\'<>()[]{}+*?#@&%$!~^\\`\t\n\r\0'),
  ...['é', '가', '漢', '\u200d', '\ufe0f', '\u{1f600}', '\u{1f1f0}', '\u{1f3fb}'],
];

/** An unbounded quantifier is sampled with at most this many repetitions beyond its minimum. */
const repetitionsMaximum = 3;

/** Samples texts that a regular expression matches, regardless of its assertions. */
export function patternSample({ source, flags }: RegExp): Sample {
  return new PatternReader(source, flags.replaceAll(/[gy]/g, '')).alternatives();
}

/** Parses a valid pattern. Tests each atom to find the characters that it matches. */
class PatternReader {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;
  #groups = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  alternatives(): Sample {
    const all = [this.#sequence()];
    while (this.#take('|')) all.push(this.#sequence());
    return (pick, groups) => all[pick(all.length)]?.(pick, groups) ?? [];
  }

  #sequence(): Sample {
    const terms: Sample[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at))) {
      terms.push(this.#term());
    }
    return (pick, groups) => terms.flatMap((term) => term(pick, groups));
  }

  #term(): Sample {
    if (['^', '$', '\\b', '\\B'].some((assertion) => this.#take(assertion))) return () => [];
    const atom = this.#take('(') ? this.#group() : this.#atom();
    const quantifier = this.#match(/([*+?])\??|\{(\d+)(,?)(\d*)\}\??/y);
    if (quantifier === undefined) return atom;
    const { minimum, maximum } = bounds(quantifier);
    return (pick, groups) => {
      const times = minimum + pick(Math.min(maximum - minimum, repetitionsMaximum) + 1);
      return Array.from({ length: times }, () => atom(pick, groups)).flat();
    };
  }

  #group(): Sample {
    const head = this.#match(/\?(?:[:=!]|<[=!]|<\w+>)/y)?.[0] ?? '';
    const isCapturing = head === '' || head.endsWith('>');
    if (isCapturing) this.#groups += 1;
    const number = this.#groups;
    const inner = this.alternatives();
    this.#take(')');
    if (/[=!]/.test(head)) return (pick, groups) => (pick(2) === 0 ? [] : inner(pick, groups));
    return (pick, groups) => {
      const pieces = inner(pick, groups);
      if (isCapturing) groups[number] = pieces.join('');
      return pieces;
    };
  }

  #atom(): Sample {
    const reference = this.#match(/\\([1-9])/y)?.[1];
    if (reference !== undefined) return (_, groups) => [groups[Number(reference)] ?? ''];
    const [atom] =
      this.#match(/\[(?:[^\]\\]|\\.)*\]|\\[pu]\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\?./isy) ?? [];
    const only = new RegExp(`^${atom}$`, this.#flags);
    const found = [...new Set([...Array.from(this.#source), ...characters])].filter((character) =>
      only.test(character),
    );
    return (pick) => [found[pick(found.length)] ?? ''];
  }

  #take(text: string): boolean {
    const isNext = this.#source.startsWith(text, this.#at);
    if (isNext) this.#at += text.length;
    return isNext;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source) ?? undefined;
    this.#at += match?.[0].length ?? 0;
    return match;
  }
}

function bounds([, sign, minimum, comma, maximum]: RegExpExecArray): { minimum: number; maximum: number } {
  if (sign !== undefined) {
    return { minimum: sign === '+' ? 1 : 0, maximum: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
  }
  const last = maximum === '' ? Number.POSITIVE_INFINITY : Number(maximum);
  return { minimum: Number(minimum), maximum: comma === '' ? Number(minimum) : last };
}

import { createContext, Script } from 'node:vm';
import { type HurtingString, hurtingStrings, stringOfLength } from './hurting-strings.ts';

/** Long enough that quadratic time is visible, and short enough to try all strings. */
const shortLength = 1000;
/** The number of slowest strings to try at full length. */
const longStrings = 3;
/** The shortest time of these attempts is used, since other work of the machine only adds time. */
const attempts = { short: 2, long: 6 };
/** Stops an expression that would take hours. */
const timeoutMs = 500;

/** Processor time of this process in milliseconds, which is independent of other processes. */
function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Applies a global expression everywhere in each text, as a search, a split or a replacement would. */
const applied = new Script(`(() => {
  const { expression, texts, times, now } = globalThis;
  for (const text of texts) {
    const startedAt = now();
    let last = 0;
    for (expression.lastIndex = 0; expression.test(text); ) {
      if (expression.lastIndex !== last) last = expression.lastIndex;
      else expression.lastIndex = last += text.codePointAt(last) > 0xffff ? 2 : 1;
    }
    times.push(now() - startedAt);
  }
})()`);

/** A string of `length` characters on which a regular expression takes longer than a limit. */
export function slowString(expression: RegExp, length: number, limitMs: number): HurtingString | undefined {
  const strings = hurtingStrings(expression);
  const times = shortestTimes(
    expression,
    strings.map((string) => stringOfLength(string, shortLength)),
    { limitMs: 0, attempts: attempts.short },
  );
  return strings
    .map((string, index) => ({ string, elapsedMs: times[index] ?? 0 }))
    .toSorted((a, b) => b.elapsedMs - a.elapsedMs)
    .slice(0, longStrings)
    .find(({ string }) => {
      const [elapsedMs = 0] = shortestTimes(expression, [stringOfLength(string, length)], {
        limitMs,
        attempts: attempts.long,
      });
      return elapsedMs > limitMs;
    })?.string;
}

/** The shortest times of a few attempts; stops once all are within the limit. */
function shortestTimes(
  expression: RegExp,
  texts: readonly string[],
  { limitMs, attempts: most }: { readonly limitMs: number; readonly attempts: number },
): readonly number[] {
  let shortest = timesOf(expression, texts);
  for (let attempt = 1; attempt < most && !shortest.every((time) => time <= limitMs); attempt += 1) {
    const times = timesOf(expression, texts);
    shortest = shortest.map((time, index) => Math.min(time, times[index] ?? time));
  }
  return shortest;
}

/** The time for each text in milliseconds; `timeoutMs` for those that were not tried after a time-out. */
function timesOf({ source, flags }: RegExp, texts: readonly string[]): readonly number[] {
  const times: number[] = [];
  const expression = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  const context = createContext({ expression, texts, times, now: usedMs });
  try {
    applied.runInContext(context, { timeout: timeoutMs });
  } catch (error) {
    // The error comes from another realm, so `instanceof` would fail.
    if ((error as { readonly code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  return texts.map((_, index) => times[index] ?? timeoutMs);
}

import * as z from 'zod';
import { lazy, madeOnUse } from '../../base/lazy.ts';
import { type AssumptionName, assumptionTable, readAssumption } from '../../contract/assumptions.ts';
import { type Flag, type FlagSet, settings, valueFlag, wordValue } from './flags.ts';

/**
 * A setting for each thing that the API document leaves open, made when it is read: few calls read any. Its value stays
 * text, for plans and hints.
 */
export const serviceSettings: FlagSet = madeOnUse(
  Object.fromEntries(
    Object.keys(assumptionTable).map((name) => [name, lazy(() => settingOf(name as AssumptionName))]),
  ),
);

function settingOf(name: AssumptionName): Flag<unknown> {
  const assumption = assumptionTable[name];
  const value = assumption.kind === 'choice' ? wordValue(assumption.words) : textOf(name);
  const { flag } = settings('Service', { flag: valueFlag(value.optional(), assumption) });
  return flag;
}

/** Text that the assumption is read from; a list of a file counts as its words with commas between them. */
function textOf(name: AssumptionName) {
  const text = z.union([
    z.string(),
    z.number().transform(String),
    z.array(z.string()).transform((words) => words.join(',')),
  ]);
  return text.check(({ value, issues }) => {
    const read = readAssumption(name, value);
    if ('fault' in read) issues.push({ code: 'custom', message: read.fault, input: value });
  });
}

import * as z from 'zod';
import { koreanZone } from '../../base/korean-time.ts';
import { lazy, madeOnUse } from '../../base/lazy.ts';
import { type AssumptionName, assumptionTable, readAssumption } from '../../contract/assumptions.ts';
import { outputFormats } from '../../output/formats/formats.ts';
import { progressModes } from '../../output/terminal/progress.ts';
import {
  alsoSettings,
  booleanValue,
  defaultFlag,
  type Flag,
  type FlagSet,
  groupFlags,
  integerValue,
  listFlag,
  repeatableFlag,
  settings,
  switchFlag,
  textFlag,
  textOrNumber,
  textValue,
  timeLimitValue,
  valueFlag,
  wordValue,
} from './flags.ts';

/** Flags of commands that may run for long. */
export const progressFlags = settings('Messages', {
  progress: defaultFlag(
    wordValue(progressModes),
    'auto',
    'MODE',
    `progress on stderr: ${progressModes.join(', ')}`,
  ),
});

/** The time zone, which every command accepts because any may show times. */
export const { timeZone: timeZoneFlag } = settings('Files', {
  timeZone: defaultFlag(
    () => z.string().regex(/^[+-](?:0\d|1[0-4]):[0-5]\d$/, 'expected an offset such as +09:00'),
    koreanZone,
    'OFFSET',
    'time zone of times without one, and of those on a terminal (default +09:00)',
  ),
});

/** Flags of every command. */
export const commonFlags = {
  ...groupFlags('Common', {
    profile: {
      ...textFlag('NAME', 'the profile whose settings to use'),
      scope: 'environment',
    },
    config: repeatableFlag('NAME=VALUE', 'a setting for this call; repeatable', { short: 'c' }),
    quiet: switchFlag('only warnings and errors on stderr', 'q'),
    debug: {
      ...switchFlag('show requests without secrets, and stack traces'),
      scope: 'environment',
    },
  }),
  ...settings('Messages', {
    logFormat: valueFlag(wordValue(['text', 'json']), 'text|json', 'format of messages on stderr'),
  }),
  timeZone: timeZoneFlag,
} as const;

/**
 * A setting for each assumption about what the API document leaves open. They are built on use, because few calls read
 * any. Values stay text, for plans and hints.
 */
const serviceSettings: FlagSet = madeOnUse(
  Object.fromEntries(
    Object.keys(assumptionTable).map((name) => [name, lazy(() => settingOf(name as AssumptionName))]),
  ),
);

function settingOf(name: AssumptionName): Flag<unknown> {
  const assumption = assumptionTable[name];
  const value = assumption.kind === 'choice' ? wordValue(assumption.words) : textOf(name);
  const { flag } = settings('Service', {
    flag: valueFlag(value, 'VALUE', assumption.help),
  });
  return flag;
}

/** The text of an assumption; a list in a file counts as its words, joined with commas. */
function textOf(name: AssumptionName) {
  return () =>
    z
      .union([textOrNumber(), z.array(z.string()).transform((words) => words.join(','))])
      .check(({ value, issues }) => {
        const read = readAssumption(name, value);
        if ('fault' in read) issues.push({ code: 'custom', message: read.fault, input: value });
      });
}

const { debug, profile } = commonFlags;

/** Flags of commands that call the service. */
export const connectionFlags = {
  debug,
  profile,
  ...settings('Connection', {
    baseUrl: textFlag('URL', 'address of the service'),
    tokenFile: textFlag('PATH', 'a file with the credential; - for standard input'),
    tokenCommand: textFlag('COMMAND', 'a program that prints the credential'),
    production: valueFlag(booleanValue, 'true|false', 'ask before writing anything'),
    timeout: defaultFlag(timeLimitValue, 30_000, 'DURATION', 'time limit of one request (default 30s)'),
    retries: defaultFlag(integerValue(0, 20), 4, 'N', 'maximum number of retries of a request (default 4)'),
    rate: valueFlag(
      integerValue(1, 10_000),
      'N',
      'maximum requests per second; with --shard, of all shards together',
    ),
    overloadStatus: listFlag(
      integerValue(400, 599),
      'STATUS',
      'statuses for refusing excess requests without processing them (default 429)',
    ),
  }),
  assume: {
    ...repeatableFlag('NAME=VALUE', 'what the API document leaves open'),
    scope: 'setting',
    parts: serviceSettings,
  },
} as const;

/** Flags of commands that use the records of earlier runs. */
export const stateFlags = settings('State', {
  state: textFlag('URL', 'PostgreSQL: postgres://USER@HOST/DATABASE'),
  statePasswordFile: textFlag(
    'FILE',
    'file with the password of the database (default: PGPASSWORD, PGPASSFILE)',
  ),
  shop: textFlag('NAME', 'the shop of the state in the database; names the schema (default: the profile)'),
});

/** `-o` with these formats. */
export function outputFlag<const W extends readonly [string, ...string[]]>(formats: W) {
  const { output } = alsoSettings({
    output: valueFlag(wordValue(formats), 'FORMAT', formats.join(', '), 'o'),
  });
  return output;
}

/** Flag of lists that may be long. */
export const limitFlag = valueFlag(
  integerValue(0, Number.MAX_SAFE_INTEGER),
  'N',
  'maximum number of records (default: all)',
);

/** Flags of commands that print records. */
export const outputFlags = groupFlags('Output', {
  output: outputFlag(outputFormats),
  fields: listFlag(textValue, 'a,b.c', 'only these fields, with dots for nested ones'),
  excel: switchFlag('with -o csv: write a byte order mark, for Excel'),
});

/** Flags of commands that ask before they act. */
export const askFlags = groupFlags('Questions', {
  yes: switchFlag('answer yes to every question', 'y'),
  noInput: switchFlag('never ask; fail if an answer is required'),
});

/** Flags of commands that a monitor may watch. */
export const monitoringFlags = settings('Monitoring', {
  ping: textFlag(
    'URL',
    'call this monitor: GET after success; an address of healthchecks (ending in a UUID, or written ' +
      'healthchecks:URL) also gets the start, the exit code and the summary',
  ),
  metricsFile: valueFlag(
    () => z.string().endsWith('.prom', 'expected a file name that ends in .prom'),
    'FILE',
    "write the numbers of the run to this file, for Prometheus' textfile collector (x.prom)",
  ),
  summaryFile: valueFlag(
    () => z.string().endsWith('.json', 'expected a file name that ends in .json'),
    'FILE',
    'write the summary of the run to this file (x.json)',
  ),
});

import * as z from 'zod';
import { koreanZone } from '../../base/korean-time.ts';
import { outputFormats } from '../../output/formats/formats.ts';
import { progressModes } from '../../output/terminal/progress.ts';
import {
  groupFlags,
  integerValue,
  listFlag,
  repeatableFlag,
  switchFlag,
  timeLimitValue,
  valueFlag,
  wordValue,
} from './flags.ts';

/** Any text but an empty one. */
export const textValue = z.string().min(1).optional();

/** Of every command that may take long. */
export const progressFlags = groupFlags('Messages', {
  progress: valueFlag(wordValue(progressModes).default('auto'), {
    value: 'MODE',
    help: `progress on stderr: ${progressModes.join(', ')}`,
  }),
});

/** Of every command. */
export const noticeFlags = groupFlags('Messages', {
  quiet: switchFlag({
    short: 'q',
    help: 'only warnings and errors on stderr: no progress, no totals, no information',
  }),
  logFormat: valueFlag(wordValue(['text', 'json']).optional(), {
    value: 'text|json',
    help: 'format of messages on stderr',
  }),
});

/** Of every command that calls the service. */
export const connectionFlags = groupFlags('Connection', {
  debug: switchFlag({ help: 'show every request, without secrets, and stack traces' }),
  profile: valueFlag(textValue, { value: 'NAME', help: 'the profile whose settings to use' }),
  baseUrl: valueFlag(textValue, {
    value: 'URL',
    help: 'the address of the service, with or without /admin/v2',
  }),
  tokenFile: valueFlag(textValue, {
    value: 'PATH',
    help: 'a file with the credential; - for standard input',
  }),
  tokenCommand: valueFlag(textValue, { value: 'COMMAND', help: 'a program that prints the credential' }),
  timeout: valueFlag(timeLimitValue.default(30_000), {
    value: 'DURATION',
    help: 'time limit of one request (default 30s)',
  }),
  retries: valueFlag(integerValue(0, 20).default(4), {
    value: 'N',
    help: 'maximum number of retries of a request (default 4)',
  }),
  rate: valueFlag(integerValue(1, 10_000).optional(), {
    value: 'N',
    help: 'maximum requests per second; with --shard, of all shards together',
  }),
  overloadStatus: listFlag(integerValue(400, 599), {
    value: 'STATUS',
    help: 'statuses by which the service refuses what is too much and does nothing of it (default 429)',
  }),
  assume: repeatableFlag({
    value: 'NAME=VALUE',
    help: 'override an assumption where the API document is unspecified; repeatable',
  }),
});

/** Of every command that uses what earlier runs recorded. */
export const stateFlags = groupFlags('State', {
  state: valueFlag(textValue, {
    value: 'URL',
    help: 'keep the state in PostgreSQL, for several machines: postgres://USER@HOST/DATABASE',
  }),
  statePasswordFile: valueFlag(textValue, {
    value: 'FILE',
    help: 'password for --state, one line (default: PGPASSWORD, PGPASSFILE)',
  }),
  shop: valueFlag(textValue, {
    value: 'NAME',
    help: 'with --state: the shop whose state it is; it names the schema (default: the profile)',
  }),
});

/** Of every command that prints records. */
export const outputFlags = groupFlags('Output', {
  output: valueFlag(wordValue(outputFormats).optional(), {
    short: 'o',
    value: 'FORMAT',
    help: `${outputFormats.join(', ')} (default: table on a terminal, ndjson in a pipe)`,
  }),
  fields: listFlag(z.string(), { value: 'a,b.c', help: 'only these fields, with dots for nested ones' }),
  excel: switchFlag({ help: 'with -o csv: write a byte order mark, for Excel' }),
});

/** Of every command that reads or shows times. */
export const timeZoneFlag = valueFlag(
  z
    .string()
    .regex(/^[+-]\d{2}:\d{2}$/, 'expected an offset such as +09:00')
    .default(koreanZone),
  {
    value: 'OFFSET',
    help: 'time zone of times without one (default +09:00)',
  },
);

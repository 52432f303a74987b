import * as z from 'zod';
import { bulkEntriesMaximum } from '../../contract/limits.ts';
import { failureTraces } from '../../input/cells/failure-traces.ts';
import { presetNames } from '../../input/presets/preset-names.ts';
import { outputFormats } from '../../output/formats.ts';
import { progressModes } from '../../output/progress.ts';
import { resendChoices } from '../../push/decide.ts';
import { limitBounds } from '../../push/next-limit.ts';
import { askFlags } from '../ask.ts';
import {
  durationValue,
  groupFlags,
  integerValue,
  listFlag,
  repeatableFlag,
  switchFlag,
  valueFlag,
  wordValue,
} from './flags.ts';

const text = z.string().min(1).optional();

/** Of every command. */
export const noticeFlags = groupFlags('Messages', {
  logFormat: valueFlag(wordValue(['text', 'json']).optional(), {
    value: 'text|json',
    help: 'how messages on stderr are written',
  }),
});

/** Of every command that calls the service. */
export const connectionFlags = groupFlags('Connection', {
  debug: switchFlag({ help: 'show every request, without secrets, and stack traces' }),
  profile: valueFlag(text, { value: 'NAME', help: 'the profile whose settings to use' }),
  baseUrl: valueFlag(text, { value: 'URL', help: 'the address of the service, with or without /admin/v2' }),
  tokenFile: valueFlag(text, {
    value: 'PATH',
    help: 'a file that holds the credential; - for standard input',
  }),
  tokenCommand: valueFlag(text, { value: 'COMMAND', help: 'a program that prints the credential' }),
  timeout: valueFlag(durationValue.default(30_000), {
    value: 'DURATION',
    help: 'how long one request may take (default 30s)',
  }),
  retries: valueFlag(integerValue(0, 20).default(4), {
    value: 'N',
    help: 'how often a request is tried again (default 4)',
  }),
  rate: valueFlag(integerValue(1, 10_000).optional(), { value: 'N', help: 'requests a second at most' }),
  assume: repeatableFlag({
    value: 'NAME=VALUE',
    help: 'what to take where the API document is silent; repeatable',
  }),
  record: valueFlag(
    text.refine((path) => path !== '-', 'expected a file, not standard output'),
    {
      value: 'FILE',
      help: 'write every request and reply to this new file (HAR), without credential and persons',
    },
  ),
  ...askFlags,
});

/** Of every command that prints records. */
export const outputFlags = groupFlags('Output', {
  output: valueFlag(wordValue(outputFormats).optional(), {
    short: 'o',
    value: 'FORMAT',
    help: `${outputFormats.join(', ')} (default: table on a terminal, ndjson in a pipe)`,
  }),
  fields: listFlag(z.string(), { value: 'a,b.c', help: 'only these fields, nested ones dotted' }),
  excel: switchFlag({ help: 'with -o csv: begin with a byte order mark, for Excel' }),
  csvRaw: switchFlag({ help: 'with -o csv: leave cells alone that a spreadsheet would run' }),
});

/** Of every command that reads files. */
export const inputFlags = groupFlags('Input', {
  format: valueFlag(wordValue(['csv', 'tsv', 'json', 'ndjson', 'xlsx']).optional(), {
    value: 'FORMAT',
    help: 'csv, tsv, json, ndjson or xlsx (default: by content, then by name)',
  }),
  encoding: valueFlag(wordValue(['auto', 'utf-8', 'cp949', 'euc-kr', 'utf-16le', 'utf-16be']).optional(), {
    value: 'NAME',
    help: 'auto, utf-8, cp949 (or euc-kr), utf-16le or utf-16be (default auto)',
  }),
  sheet: valueFlag(text, {
    value: 'NAME',
    help: 'the sheet of an xlsx, or its number (default: the first visible one that holds anything)',
  }),
  passwordFile: valueFlag(text, {
    value: 'FILE',
    help: 'a file that holds the password of a workbook (default: asked for on a terminal)',
  }),
  delimiter: valueFlag(z.string().optional(), {
    value: 'CHARACTER',
    help: 'what separates columns (default: by content)',
  }),
  headerRow: valueFlag(integerValue(1, 1000).optional(), {
    value: 'N',
    help: 'the line the header stands on (default: the first one, or as the preset knows)',
  }),
  preset: valueFlag(wordValue(presetNames).optional(), {
    value: 'NAME',
    help: `the shop system the files come from: ${presetNames.join(', ')} (default: by their headers)`,
  }),
  productKey: valueFlag(text, {
    value: 'NAME',
    help: 'what products are known by, in files of products and of orders, such as SKU (default: as first pushed)',
  }),
  map: repeatableFlag({
    value: 'FIELD=HEADER',
    help: "a column for a field, or a template such as 'originId={InvoiceNo}-{n}'; repeatable",
  }),
  set: repeatableFlag({ value: 'FIELD=VALUE', help: 'one value for a field of every record; repeatable' }),
  timeZone: valueFlag(
    z
      .string()
      .regex(/^[+-]\d{2}:\d{2}$/, 'expected an offset such as +09:00')
      .default('+09:00'),
    {
      value: 'OFFSET',
      help: 'the zone of times that name none (default +09:00)',
    },
  ),
  nullWord: valueFlag(text, { value: 'WORD', help: 'the cell that sends null' }),
  allow: listFlag(wordValue(failureTraces), {
    value: 'TRACE',
    help: `send cells that look as if a program had failed: ${failureTraces.join(', ')}`,
  }),
  carrier: repeatableFlag({
    value: 'NAME=CODE',
    help: 'the code of a carrier as this service knows it, before the common codes; repeatable',
  }),
  imageBaseUrl: valueFlag(z.url('expected an address').optional(), {
    value: 'URL',
    help: 'what relative image paths are relative to',
  }),
});

/** Of every push. */
export const pushFlags = groupFlags('Sending', {
  dryRun: switchFlag({
    short: 'n',
    help: 'check and compare everything and print what would come of it; write nothing',
  }),
  concurrency: valueFlag(z.union([z.literal('auto'), integerValue(1, limitBounds.most)]).default('auto'), {
    value: 'N|auto',
    help: `requests in flight at once (1 to ${limitBounds.most}); auto starts at ${limitBounds.start} and finds the number with the highest throughput (default auto)`,
  }),
  progress: valueFlag(wordValue(progressModes).default('auto'), {
    value: 'MODE',
    help: `how progress is shown on stderr: ${progressModes.join(', ')}`,
  }),
});

/** Of every push by bulk creation. */
export const bulkFlags = groupFlags('Sending', {
  batchSize: valueFlag(integerValue(1, bulkEntriesMaximum).default(bulkEntriesMaximum), {
    value: 'N',
    help: `entries of one bulk request (1 to ${bulkEntriesMaximum}, default ${bulkEntriesMaximum})`,
  }),
  resend: valueFlag(wordValue(resendChoices).optional(), {
    value: 'WHICH',
    help: `send again what an earlier run sent: ${resendChoices.join(', ')}; for a person who has looked`,
  }),
});

/** Longest time for which what a run replaced is kept: ten years. */
const undoDaysMaximum = 3650;

/** Of every push that can be undone. */
export const undoFlags = groupFlags('Sending', {
  undoDays: valueFlag(integerValue(0, undoDaysMaximum).default(30), {
    value: 'N',
    help: 'for how many days the values it replaces are kept, so that runs undo can write them back; 0 keeps none (default 30)',
  }),
});

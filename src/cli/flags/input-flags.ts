import * as z from 'zod';
import { presetNames } from '../../input/mapping/presets/preset-names.ts';
import { failureTraces } from '../../input/records/failure-traces.ts';
import { groupFlags, integerValue, listFlag, repeatableFlag, valueFlag, wordValue } from './flags.ts';
import { textValue, timeZoneFlag } from './shared-flags.ts';

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
  sheet: valueFlag(textValue, {
    value: 'NAME',
    help: 'the sheet of an xlsx, or its number (default: the first visible one that holds anything)',
  }),
  passwordFile: valueFlag(textValue, {
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
  productKey: valueFlag(textValue, {
    value: 'NAME',
    help: 'what products are known by, in files of products and of orders, such as SKU (default: as first pushed)',
  }),
  map: repeatableFlag({
    value: 'FIELD=HEADER',
    help: "a column for a field, or a template such as 'originId={InvoiceNo}-{n}'; repeatable",
  }),
  set: repeatableFlag({ value: 'FIELD=VALUE', help: 'one value for a field of every record; repeatable' }),
  timeZone: timeZoneFlag,
  nullWord: valueFlag(textValue, { value: 'WORD', help: 'the cell that sends null' }),
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

import * as z from 'zod';
import { presetNames } from '../../input/mapping/presets/preset-names.ts';
import { failureTraces } from '../../input/records/failure-traces.ts';
import { groupFlags, integerValue, listFlag, repeatableFlag, valueFlag, wordValue } from './flags.ts';
import { textValue, timeZoneFlag } from './shared-flags.ts';

/** Of every command that reads files. */
export const inputFlags = groupFlags('Input', {
  format: valueFlag(wordValue(['csv', 'tsv', 'json', 'ndjson', 'xlsx']).optional(), {
    value: 'FORMAT',
    help: 'csv, tsv, json, ndjson or xlsx (default: detected)',
  }),
  encoding: valueFlag(wordValue(['auto', 'utf-8', 'cp949', 'euc-kr', 'utf-16le', 'utf-16be']).optional(), {
    value: 'NAME',
    help: 'auto, utf-8, cp949 (or euc-kr), utf-16le or utf-16be (default auto)',
  }),
  sheet: valueFlag(textValue, {
    value: 'NAME',
    help: 'the sheet of an xlsx, by name or number (default: the first visible one with data)',
  }),
  passwordFile: valueFlag(textValue, {
    value: 'FILE',
    help: 'a file with the password of a workbook (default: asked for on a terminal)',
  }),
  delimiter: valueFlag(z.string().optional(), {
    value: 'CHARACTER',
    help: 'the separator of columns (default: detected)',
  }),
  headerRow: valueFlag(integerValue(1, 1000).optional(), {
    value: 'N',
    help: 'line number of the header (default: 1, or that of the preset)',
  }),
  preset: valueFlag(wordValue(presetNames).optional(), {
    value: 'NAME',
    help: `the shop system that exported the files: ${presetNames.join(', ')} (default: detected)`,
  }),
  productKey: valueFlag(textValue, {
    value: 'NAME',
    help:
      'the column that identifies products in files of products and orders, such as SKU (default: that of the ' +
      'first push)',
  }),
  map: repeatableFlag({
    value: 'FIELD=HEADER',
    help: "a column for a field, or a template such as 'originId={InvoiceNo}-{n}'; repeatable",
  }),
  set: repeatableFlag({ value: 'FIELD=VALUE', help: 'one value for a field of every record; repeatable' }),
  timeZone: timeZoneFlag,
  nullWord: valueFlag(textValue, { value: 'WORD', help: 'the cell value that is sent as null' }),
  allow: listFlag(wordValue(failureTraces), {
    value: 'TRACE',
    help: `send cells despite these signs of a failed export: ${failureTraces.join(', ')}`,
  }),
  carrier: repeatableFlag({
    value: 'NAME=CODE',
    help: 'the code of a carrier at this service, which overrides the common codes; repeatable',
  }),
  imageBaseUrl: valueFlag(z.url('expected an address').optional(), {
    value: 'URL',
    help: 'base address of relative image paths',
  }),
});

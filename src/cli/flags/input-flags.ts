import * as z from 'zod';
import { presetNames } from '../../input/mapping/presets/preset.ts';
import { dateOrders, decimalMarks, failureTraces, openStatusChoices } from '../../input/records/options.ts';
import {
  alsoSettings,
  groupFlags,
  integerValue,
  listFlag,
  repeatableFlag,
  settings,
  textFlag,
  valueFlag,
  wordValue,
} from './flags.ts';
import { timeZoneFlag } from './shared-flags.ts';

/** Flags of commands that read files. */
export const inputFlags = {
  ...alsoSettings(
    groupFlags('Reading', {
      map: repeatableFlag('FIELD=HEADER', "column for a field, or a template: '{Order}-{n}'", {
        element: () => z.string().regex(/^[^=]+=\s*\S/, 'expected FIELD=HEADER, such as name=Title'),
      }),
      set: repeatableFlag('FIELD=VALUE', 'one value for a field of every record; repeatable', {
        element: () => z.string().regex(/^[^=]+=/, 'expected FIELD=VALUE, such as status=DELIVERED'),
      }),
      preset: valueFlag(wordValue(presetNames), 'NAME', 'the shop system that exported the files'),
      sheet: textFlag('NAME', 'sheet of a workbook, by name or number'),
      format: valueFlag(
        wordValue(['csv', 'tsv', 'json', 'ndjson', 'xlsx']),
        'FORMAT',
        'csv, tsv, json, ndjson or xlsx (default: detected)',
      ),
      encoding: valueFlag(
        wordValue(['auto', 'utf-8', 'cp949', 'euc-kr', 'windows-1252', 'utf-16le', 'utf-16be']),
        'NAME',
        'auto, utf-8, cp949, windows-1252, utf-16le/be',
      ),
      delimiter: valueFlag(
        () => z.string().regex(/^(?:[^"\r\n]|\\t)$/, 'expected one character such as ;, or \\t for a tab'),
        'CHARACTER',
        'the separator of columns (default: detected)',
      ),
      headerRow: valueFlag(integerValue(1, 1000), 'N', 'line number of the header (default: detected)'),
    }),
  ),
  ...groupFlags('Reading', {
    allow: listFlag(wordValue(failureTraces), 'TRACE', 'send cells despite this sign of a failed export'),
  }),
  ...settings('Files', {
    timeZone: timeZoneFlag,
    imageBaseUrl: valueFlag(
      () =>
        z.url({ protocol: /^https?$/, error: 'expected a web address such as https://shop.example/images/' }),
      'URL',
      'base address of relative image paths',
    ),
    decimal: valueFlag(
      wordValue(decimalMarks),
      'MARK',
      'decimal mark of amounts: point, or comma as in 19,90 (default: point)',
    ),
    dateOrder: valueFlag(
      wordValue(dateOrders),
      'ORDER',
      'dmy reads 24.11.2026, mdy 11/24/2026 (default: ymd, which refuses both)',
    ),
    nullWord: textFlag('WORD', 'the cell value that is sent as null'),
    openStatus: valueFlag(
      wordValue(openStatusChoices),
      'CHOICE',
      'rows whose status is still in progress: refuse, or omit the status (default: omit)',
    ),
    carriers: repeatableFlag(
      'NAME=CODE',
      'the code of a carrier at this service, which overrides the common codes; repeatable',
      {
        element: () =>
          z.string().regex(/^[^=]+=\s*\S/, 'expected a name and its code, such as CJ대한통운=04'),
      },
    ),
    productKey: textFlag(
      'NAME',
      'the column that identifies products in files of products and orders, such as SKU (default: that of the ' +
        'first push)',
    ),
    workbookPasswordFile: textFlag(
      'FILE',
      'a file with the password of a workbook (default: asked for on a terminal)',
    ),
  }),
};

const { format, encoding, sheet, workbookPasswordFile, delimiter, headerRow } = inputFlags;

/** Flags of commands that read a table whose columns are not fields of records. */
export const tableFlags = { format, encoding, sheet, workbookPasswordFile, delimiter, headerRow };

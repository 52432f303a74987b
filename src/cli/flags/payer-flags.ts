import * as z from 'zod';
import {
  alsoSettings,
  defaultFlag,
  groupFlags,
  integerValue,
  listFlag,
  repeatableFlag,
  settings,
  spanValue,
  switchFlag,
  textFlag,
  timeLimitValue,
  valueFlag,
} from './flags.ts';

const quietDefaultMs = 24 * 60 * 60 * 1000;

/** Flags of commands that pay, or look up payments at the payer. */
export const payerFlags = {
  ...alsoSettings(
    groupFlags('Payer', {
      payerCommand: textFlag('COMMAND', 'the program that pays: exit 0 paid, 10 refused'),
      payerUrl: textFlag('URL', 'the address payments are POSTed to'),
    }),
  ),
  ...settings('Payer', {
    payerEnv: repeatableFlag(
      'NAME',
      'pass this variable to payer programs, in addition to PATH, HOME, LANG, LC_ALL, TZ, TMPDIR; repeatable',
      {
        element: () =>
          z
            .string()
            .regex(/^[^=\s,]+$/, 'expected the name of a variable')
            .regex(/^(?!REVIEWCTL_)/, 'is not passed to a payer, which needs a credential of its own'),
      },
    ),
    payerHeaderFile: textFlag(
      'FILE',
      'with http: a file only you can read, with headers, one Name: value per line',
    ),
    payerPaidStatus: listFlag(
      integerValue(400, 499),
      'STATUS',
      'with http: a status that means paid in addition to 2xx, such as 409',
    ),
    payerTimeout: defaultFlag(timeLimitValue, 30_000, 'DURATION', 'time limit of one call (default 30s)'),
    payerIdempotent: valueFlag(
      spanValue,
      'DURATION',
      'how long the payer pays a key at most once; without it, a lost call is never repeated',
    ),
    payerReplaysResponse: switchFlag(
      'the payer repeats its first answer for a repeated key, refusals included',
    ),
    payerLookupDelay: defaultFlag(
      spanValue,
      quietDefaultMs,
      'DURATION',
      'how long after its call a payment may still appear at the payer; then a lookup without it, or a repeated ' +
        'refusal, is final (default 24h)',
    ),
    payerLookupCommand: textFlag(
      'COMMAND',
      'a program that looks up a payment at the payer; its last line is {"outcome":"paid","ref":…} or ' +
        '{"outcome":"not-found"}',
    ),
  }),
};

export type PayerFlags = typeof payerFlags;

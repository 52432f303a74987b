import * as z from 'zod';
import {
  durationValue,
  groupFlags,
  integerValue,
  listFlag,
  repeatableFlag,
  spanValue,
  switchFlag,
  valueFlag,
  wordValue,
} from './flags.ts';

const text = z.string().min(1).optional();

const quietDefaultMs = 24 * 60 * 60 * 1000;

/** Of every command that pays, or looks into the payer's books. */
export const payerFlags = groupFlags('Payer', {
  payer: valueFlag(wordValue(['exec', 'http', 'results-file']).optional(), {
    value: 'KIND',
    help: 'who moves the money: exec (a program), http (a service), results-file (a person: rewards export)',
  }),
  payerCommand: valueFlag(text, {
    value: 'COMMAND',
    help: 'with exec: the program and its words, run without a shell; it ends with 0 for paid, 10 for refused, 75 to be asked again',
  }),
  payerEnv: repeatableFlag({
    value: 'NAME',
    help: 'a variable that programs of the payer are to see besides PATH, HOME, LANG, LC_ALL, TZ, TMPDIR; repeatable',
  }),
  payerUrl: valueFlag(text, { value: 'URL', help: 'with http: the address payments are POSTed to' }),
  payerHeaderFile: valueFlag(text, {
    value: 'FILE',
    help: 'with http: a file of yours alone with headers, one Name: value a line',
  }),
  payerPaidStatus: listFlag(integerValue(400, 499), {
    value: 'STATUS',
    help: 'with http: a status that means paid besides 2xx, such as 409',
  }),
  payerTimeout: valueFlag(durationValue.default(30_000), {
    value: 'DURATION',
    help: 'how long one call may take (default 30s)',
  }),
  payerIdempotent: valueFlag(spanValue.optional(), {
    value: 'DURATION',
    help: 'for how long the payer pays a key at most once; without it a lost answer is never repeated',
  }),
  payerReplaysResponse: switchFlag({
    help: 'the payer answers a repeated key as it did the first time, refusals included',
  }),
  payerLookupDelay: valueFlag(spanValue.default(quietDefaultMs), {
    value: 'DURATION',
    help: 'how long after a call the books of the payer may not show it yet (default 24h)',
  }),
  payerLookupCommand: valueFlag(text, {
    value: 'COMMAND',
    help: 'a program that looks a payment up in the books of the payer: its last line is {"outcome":"paid","ref":…} or {"outcome":"not-found"}',
  }),
});

export type PayerFlags = typeof payerFlags;

import type { FailureTrace } from '../records/failure-traces.ts';
import { Refusal } from '../records/refusal.ts';

const exportAgain = 'export the file again as UTF-8, without opening it in between';
const importAsText =
  'export the file again and import it into Excel with this column as Text, or do not open it in Excel';

/** Why a cell with each trace is refused, and how to send it anyway: a product may really be called None. */
export const traceRefusals: Readonly<Record<FailureTrace, Refusal>> = {
  'decimal-ids': refusal('decimal-ids', {
    code: 'id-decimal',
    reason: 'a program has converted this id to a number: 17850 becomes 17850.0',
    remedy: 'export the file again with this column as text',
  }),
  'date-ids': refusal('date-ids', {
    code: 'id-made-a-date',
    reason: 'Excel has converted a code such as 10-24 to a date',
    remedy: importAsText,
  }),
  'null-words': refusal('null-words', {
    code: 'null-word',
    reason: 'programs write this word for a missing value',
    remedy: 'leave the cell blank, or name the word that sends null with the setting null-word',
  }),
  'error-words': refusal('error-words', {
    code: 'error-word',
    reason: 'a program that failed shows this in place of a value',
    remedy:
      'in Excel, correct the formula, or widen a column that shows ####, and save again; or type the value itself',
  }),
  'replacement-characters': refusal('replacement-characters', {
    code: 'replacement-character',
    reason: 'this contains U+FFFD, which programs write in place of characters that they cannot read',
    remedy: exportAgain,
  }),
  'question-marks': refusal('question-marks', {
    code: 'question-marks',
    reason:
      'this contains question marks, as programs write them in place of characters that they cannot write',
    remedy: exportAgain,
  }),
  mojibake: refusal('mojibake', {
    code: 'mojibake',
    reason: 'this text was decoded with the wrong charset and saved',
    remedy: exportAgain,
  }),
  'masked-contacts': refusal('masked-contacts', {
    code: 'masked-contact',
    reason: 'this is masked, so it cannot be used to contact the person',
    remedy:
      'omit it from all records with --set FIELD=, or export the file with complete numbers and addresses',
  }),
  currencies: refusal('currencies', {
    code: 'foreign-currency',
    reason: 'the service stores amounts as numbers alone, so this currency would be lost',
    remedy: 'write all amounts in the currency of the shop, without a sign',
  }),
  'control-characters': refusal('control-characters', {
    code: 'control-character',
    reason: 'this contains control characters, which no one can see',
    remedy: exportAgain,
  }),
  escapes: refusal('escapes', {
    code: 'escaped-text',
    reason: 'this contains characters as HTML (&amp;), mail (=EB=A8=B8) or JSON (\\uba38) writes them',
    remedy: 'export the file again with plain text in its cells',
  }),
  'number-limits': refusal('number-limits', {
    code: 'number-limit',
    reason: 'this is the largest number of a type of 32 or 64 bits, as programs write it for a larger one',
    remedy: 'export the file again with this column as text',
  }),
  'row-marks': refusal('row-marks', {
    code: 'marked-row',
    reason: 'this looks like a comment, a quoted mail, a closing line or the message of a program, not an id',
    remedy: 'remove the row, or the mark before its id',
  }),
  'id-lists': refusal('id-lists', {
    code: 'id-list',
    reason: 'this is a list, but every record needs an id of its own',
    remedy: 'map another column, or write a row for each id of the list',
  }),
  'rounded-ids': refusal('rounded-ids', {
    code: 'rounded-ids',
    reason: 'all ids of 16 and more digits in this column end in 0: Excel has rounded them to 15 digits',
    remedy: importAsText,
  }),
};

function refusal(trace: FailureTrace, { code, reason, remedy }: Refusal): Refusal {
  return new Refusal(code, reason, `${remedy}; to send it as it is, add --allow ${trace}`);
}

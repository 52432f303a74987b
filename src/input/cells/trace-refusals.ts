import type { FailureTrace } from '../records/failure-traces.ts';
import { Refusal } from '../records/refusal.ts';

const exportAgain = 'export the file again as UTF-8, without opening it in between';
const importAsText =
  'export the file again and import it into Excel with this column as Text, or do not open it in Excel';

/** Why a cell with each trace is not sent, and how to send it all the same: a product may really be called None. */
export const traceRefusals: Readonly<Record<FailureTrace, Refusal>> = {
  'decimal-ids': refusal('decimal-ids', {
    code: 'id-decimal',
    reason: 'this is what a program makes of an id that it takes for a number: 17850 becomes 17850.0',
    remedy: 'export the file again with this column as text',
  }),
  'date-ids': refusal('date-ids', {
    code: 'id-made-a-date',
    reason: 'this is what Excel makes of a code such as 10-24: it was taken for a date',
    remedy: importAsText,
  }),
  'null-words': refusal('null-words', {
    code: 'null-word',
    reason: 'this is how a program writes that there is no value',
    remedy: 'leave the cell blank, or name the word that sends null with --null-word',
  }),
  'error-words': refusal('error-words', {
    code: 'error-word',
    reason: 'this is what a program shows in place of a value where it failed',
    remedy:
      'in Excel, mend the formula, or widen a column that shows ####, and save again; or type the value itself',
  }),
  'replacement-characters': refusal('replacement-characters', {
    code: 'replacement-character',
    reason: 'this holds U+FFFD, which a program writes in place of characters that it cannot read',
    remedy: exportAgain,
  }),
  'question-marks': refusal('question-marks', {
    code: 'question-marks',
    reason: 'this holds question marks, as a program writes them in place of characters that it cannot write',
    remedy: exportAgain,
  }),
  mojibake: refusal('mojibake', {
    code: 'mojibake',
    reason: 'this text was read in the wrong encoding and saved like that',
    remedy: exportAgain,
  }),
  'masked-contacts': refusal('masked-contacts', {
    code: 'masked-contact',
    reason: 'this is masked, so nobody can be reached by it',
    remedy:
      'leave it out of all records with --set FIELD=, or export the file with whole numbers and addresses',
  }),
};

function refusal(trace: FailureTrace, { code, reason, remedy }: Refusal): Refusal {
  return new Refusal(code, reason, `${remedy}; to send it as it is, add --allow ${trace}`);
}

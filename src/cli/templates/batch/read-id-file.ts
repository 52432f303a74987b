import { Failure } from '../../../base/failure.ts';
import { isJsonObject, type Json } from '../../../base/json.ts';
import { koreanZone } from '../../../base/korean-time.ts';
import { readTable } from '../../../input/formats/open-table.ts';
import { type RecognizedFile, recognize } from '../../../input/mapping/recognize.ts';
import { decodeText } from '../../../input/open/decode.ts';
import type { InputFile } from '../../../input/open/input-file.ts';
import { type InputSources, openInput } from '../../../input/open/open.ts';
import type { Cell } from '../../../input/records/cell.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import type { Fault } from '../../../input/records/problem.ts';

/** Maximum ids of one command. */
const idsMaximum = 100_000;

/**
 * Reads the ids in a file, `-` for standard input: one per line, plain or as an object, or those of records in a JSON
 * array or CSV. The id of a record is the first of `fields` that it has. `checkOutcome` gets the outcome of each
 * record that has one.
 * @throws Failure('usage') for a line or record without an id, and for more ids than a command accepts; as `openInput`
 * and `checkOutcome`; the reason of an interruption.
 */
export async function readIdFile(
  path: string,
  fields: readonly string[],
  surroundings: InputSources,
  checkOutcome: OutcomeCheck = () => undefined,
): Promise<string[]> {
  const input = await openInput([path], surroundings);
  try {
    const ids: string[] = [];
    const reading = { fields, checkOutcome };
    for (const file of input.files) {
      const recognized = await recognize(file, plain);
      const isTable = holdsRecords(recognized, fields);
      for await (const found of isTable ? idsOfRecords(recognized, reading) : idsOfLines(file, reading)) {
        surroundings.stopping.throwIfAborted();
        ids.push(...found);
        if (ids.length > idsMaximum)
          throw new Failure('usage', `more than ${idsMaximum} ids`, 'pass them in several calls');
      }
    }
    return ids;
  } finally {
    await input.close();
  }
}

const plain: InputOptions = { map: [], set: [], timeZone: koreanZone };

/** Separators and quotes of a table; no id of the service contains them. */
const cellMarks = /[,;\t|"]/;

/** True if ids are the shop's own, which may be any text. */
function areOfShop(fields: readonly string[]): boolean {
  return fields.includes('originId');
}

function holdsRecords({ format, text = '', refusal }: RecognizedFile, fields: readonly string[]): boolean {
  const isMarkup = format.kind === 'delimited' && format.isHtml === true;
  if (format.kind === 'xlsx' || isMarkup || (refusal !== undefined && text === '')) return true;
  const [first = ''] = text.trim().split(anyLineEnd, 1);
  if (/^[{[]/.test(first)) return first.startsWith('[');
  const isHeader = first.split(cellMarks).some((cell) => fields.includes(cell.trim()));
  return isHeader || (!areOfShop(fields) && cellMarks.test(first));
}

const anyLineEnd = /\r\n|\n|\r/;

interface Line {
  readonly number: number;
  readonly text: string;
}

/** The lines of a text, trimmed. */
async function* linesOf(file: InputFile): AsyncGenerator<readonly Line[]> {
  let rest = '';
  let number = 0;
  const numbered = (lines: readonly string[]) =>
    lines.map((line) => {
      number += 1;
      return { number, text: line.trim() };
    });
  for await (const piece of decodeText(file, file.read(), plain)) {
    if (typeof piece !== 'string') throw failureOf(file, piece);
    const lines = (rest + piece).split(anyLineEnd);
    rest = lines.pop() ?? '';
    yield numbered(lines);
  }
  yield numbered([rest]);
}

/** The outcome in a results file, and in a list of the ledger. */
const outcomeFields = ['outcome', 'payment'] as const;

/** Checks the outcome of a record at its place, `FILE:LINE`. */
type OutcomeCheck = (outcome: Cell, at: string) => void;

interface IdReading {
  readonly fields: readonly string[];
  readonly checkOutcome: OutcomeCheck;
}

async function* idsOfLines(file: InputFile, reading: IdReading): AsyncGenerator<readonly string[]> {
  for await (const lines of linesOf(file)) {
    const filled = lines.filter(({ text }) => text !== '');
    yield filled.map((line) =>
      line.text.startsWith('{') ? idOfObject(file, line, reading) : bareId(file, line, reading.fields),
    );
  }
}

function bareId(file: InputFile, { number, text }: Line, fields: readonly string[]): string {
  if (areOfShop(fields) || (/^[!-~]+$/.test(text) && !cellMarks.test(text))) return text;
  throw noId(file, number, 'this line is text, not an id');
}

function idOfObject(file: InputFile, { number, text }: Line, { fields, checkOutcome }: IdReading): string {
  let record: Json;
  try {
    record = JSON.parse(text);
  } catch {
    record = null;
  }
  const members = isJsonObject(record) ? record : {};
  const id = fields.map((field) => members[field]).find(isFilledText);
  if (id === undefined) throw noId(file, number, `no object with a text '${fields.join("' or '")}'`);
  for (const field of outcomeFields)
    if (field in members) checkOutcome(members[field], `${file.shownAs}:${number}`);
  return id;
}

async function* idsOfRecords(
  recognized: RecognizedFile,
  { fields, checkOutcome }: IdReading,
): AsyncGenerator<readonly string[]> {
  const { file } = recognized;
  for await (const { header, headerLine, rows, end } of readTable(recognized, plain)) {
    if (end !== undefined) throw failureOf(file, end);
    const columns = fields.map((field) => header.indexOf(field)).filter((column) => column !== -1);
    const outcomes = outcomeFields.map((field) => header.indexOf(field)).filter((column) => column !== -1);
    const names = fields.join("' or '");
    if (columns.length === 0 && header.length > 0)
      throw noId(file, headerLine, `there is no column '${names}'`);
    yield rows.map(({ cells, line }) => {
      const id = columns.map((column) => cells[column]).find(isFilledText);
      if (id === undefined) throw noId(file, line, `this record has no text '${names}'`);
      for (const column of outcomes) checkOutcome(cells[column], `${file.shownAs}:${line}`);
      return id.trim();
    });
  }
}

function isFilledText(cell: Cell): cell is string {
  return typeof cell === 'string' && cell.trim() !== '';
}

function noId({ shownAs: file }: InputFile, line: number, reason: string): Failure {
  const hint =
    'pass one id per line, or records with their ids, as lists print them with -o ids, ndjson, json or csv';
  return new Failure('usage', `${file}:${line}: ${reason}`, hint, { file, line });
}

function failureOf({ shownAs: file }: InputFile, { line, reason, remedy }: Fault): Failure {
  return new Failure('usage', `${line === undefined ? file : `${file}:${line}`}: ${reason}`, remedy, {
    file,
  });
}

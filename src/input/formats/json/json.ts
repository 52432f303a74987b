import type { InputFile } from '../../open/input-file.ts';
import type { Problem } from '../../records/problem.ts';
import type { RowBatch, SourceFormat } from '../../records/row-batch.ts';
import { JsonReader, recordMaximum, tooLong } from './json-reader.ts';
import { ObjectTable } from './object-table.ts';

/**
 * The records of NDJSON: one object per line. An invalid line is a problem, and reading continues. With `sourceFormat`,
 * rows keep their text.
 */
export async function* readNdjson(
  file: InputFile,
  text: AsyncIterable<string | Problem>,
  sourceFormat?: SourceFormat,
): AsyncGenerator<RowBatch> {
  const table = new ObjectTable(file.shownAs, sourceFormat);
  let rest = '';
  let line = 1;
  for await (const piece of text) {
    if (typeof piece !== 'string') {
      yield table.batch(piece);
      return;
    }
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const written of lines) {
      table.addLine(line, written);
      line += 1;
    }
    if (rest.length > recordMaximum) {
      yield table.batch(tooLong(file.shownAs, line));
      return;
    }
    yield table.batch();
  }
  table.addLine(line, rest);
  yield table.batch();
}

/**
 * The records of JSON: an array of objects, one object, or objects one after the other. Broken JSON ends the reading.
 */
export async function* readJson(
  file: InputFile,
  text: AsyncIterable<string | Problem>,
  sourceFormat?: SourceFormat,
): AsyncGenerator<RowBatch> {
  const table = new ObjectTable(file.shownAs, sourceFormat);
  const reader = new JsonReader(table, await import('@streamparser/json'));
  for await (const piece of text) {
    const problem = typeof piece === 'string' ? reader.read(piece) : piece;
    yield table.batch(problem);
    if (problem) return;
  }
  yield table.batch(reader.end());
}

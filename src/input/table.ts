import { readCsv } from './csv.ts';
import { decodeFile } from './decode.ts';
import { findFormat } from './format.ts';
import { readJson, readNdjson } from './json.ts';
import type { InputFile } from './open.ts';
import type { InputOptions, Stretch } from './place.ts';

/** A file as rows under a header, whatever its format. Throws what `decodeFile` and `findFormat` throw. */
export async function* readTable(file: InputFile, options: InputOptions): AsyncGenerator<Stretch> {
  const text = decodeFile(file);
  const first = await text.next();
  if (first.done) return;
  const beginning = typeof first.value === 'string' ? first.value : '';
  const format = await findFormat(beginning, file.shownAs, options);
  const whole = withFirst(first.value, text);
  switch (format.kind) {
    case 'delimited':
      yield* readCsv(file, whole, { delimiter: format.delimiter, headerRow: options.headerRow });
      break;
    case 'json':
      yield* readJson(file, whole);
      break;
    case 'ndjson':
      yield* readNdjson(file, whole);
      break;
  }
}

async function* withFirst<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Shard } from '../../../base/shard.ts';
import { textHash } from '../../../base/text-hash.ts';
import { pieceBytes } from '../../../input/open/bytes.ts';
import type { InputFiles } from '../../../input/open/open.ts';
import type { Placed } from '../../../push/plan/plan-line.ts';
import type { RecordPlace } from '../../../push/steps/outcome.ts';
import type { ReadFiles } from './compiled-input.ts';
import { leftOut } from './left-out.ts';
import type { ImportPart } from './push-input.ts';

interface PartOfInput<S> {
  readonly shard: Shard;
  /** The number of records of all shards. */
  readonly records: number;
  readonly originIdOf: (record: S) => string;
}

/** The recorded description of a push that is part of an import. @throws as `digestInput`. */
export async function findPart<T, S extends Placed>(
  read: ReadFiles<T, S>,
  { shard, records, originIdOf }: PartOfInput<S>,
): Promise<ImportPart> {
  const { files, options, validation } = read;
  const { password: _password, spoolFolder: _folder, shard: _shard, productKey: _key, ...others } = options;
  // A product key that the first shard stored in the profile is a setting for the next one, so it is part of the hash.
  const reading = textHash(JSON.stringify({ ...others, productKey: validation.productKey }));
  return {
    shard,
    input: { digest: await digestInput(files), reading, records },
    places: () => placesOf(read, originIdOf),
  };
}

async function* placesOf<T, S extends Placed>(
  { compiled, rejects }: ReadFiles<T, S>,
  originIdOf: (record: S) => string,
): AsyncGenerator<readonly RecordPlace[]> {
  yield* leftOut(rejects);
  for await (const batch of compiled.records())
    yield batch.map((record) => ({ file: record.file, line: record.line, originId: originIdOf(record) }));
}

/**
 * The SHA-256 of the bytes of all files, concatenated, as `cat FILES | sha256sum` prints it. Pipes must have been
 * opened for rereading.
 * @throws Failure('input') for a file that changed since it was opened.
 */
async function digestInput({ files }: InputFiles): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) {
    const stored = await file.onDisk();
    for await (const bytes of createReadStream(stored.path, { highWaterMark: pieceBytes }))
      hash.update(bytes);
    await stored.checkUnchanged();
  }
  return hash.digest('hex');
}

import type { Shard } from '../../../base/shard.ts';
import { textHash } from '../../../base/text-hash.ts';
import { digestInput } from '../../../input/open/input-digest.ts';
import type { InputFiles } from '../../../input/open/open.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import type { Validation } from '../../../input/validate.ts';
import type { ImportPart } from './push-input.ts';

/** An input that was read. */
interface ReadInput {
  readonly files: InputFiles;
  readonly options: InputOptions;
  readonly validation: Pick<Validation, 'productKey'>;
}

interface PartOfInput {
  readonly shard: Shard | undefined;
  readonly batch: string | undefined;
  /** The number of records of all shards. */
  readonly records: number;
}

/** What is put on record of a push that is a part of an import. @throws as `digestInput`. */
export async function findPart(
  { files, options, validation: { productKey } }: ReadInput,
  { shard, batch, records }: PartOfInput,
): Promise<ImportPart> {
  const { password: _password, spoolFolder: _folder, shard: _shard, productKey: _key, ...others } = options;
  // A key of products that the first shard has stored in the profile is a setting of the next one.
  const reading = textHash(JSON.stringify({ ...others, productKey }));
  return {
    ...(shard === undefined ? {} : { shard }),
    ...(batch === undefined ? {} : { batch }),
    input: { digest: await digestInput(files), reading, records },
  };
}

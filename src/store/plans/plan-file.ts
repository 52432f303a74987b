import { createHash, type Hash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { createAtomically } from '../../base/atomic-file.ts';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';

/*
 * A plan is NDJSON: a heading, one line per planned record, and an end with their count and a hash of everything before
 * it. All kinds of plans share this format; the module of each kind reads its own `about`, records and totals.
 */

/** The metadata before the first record of a plan. */
export interface PlanHeading {
  /** Identifies this plan for ever; each plan is executed once. */
  readonly id: string;
  /** The planned records: `rewards`, `products`, … */
  readonly kind: string;
  readonly createdAtMs: number;
  /** The context of the plan, defined by its kind. It must not contain a credential. */
  readonly about: JsonObject;
}

/** The summary at the end of a plan. */
export interface PlanEnd {
  readonly records: number;
  /** Sums over the records, defined by the kind. */
  readonly totals: JsonObject;
  /** SHA-256, in hex, of everything before it in the file. */
  readonly sha256: string;
}

/** A plan of any other format is refused. */
export const planFormat = 1;

/** The last bytes of every plan; the hash covers everything before them. */
export const planSeal = {
  pattern: /^,"sha256":"(?<sha256>[0-9a-f]{64})"\}\n$/,
  write: (sha256: string) => `,"sha256":"${sha256}"}\n`,
  bytes: 78,
} as const;

/** Characters of records buffered before a write. */
const bufferedLength = 64 * 1024;

/** @throws Failure('usage') if a file of this name exists: a plan never replaces a file. */
export function checkPlanPath(path: string): void {
  if (existsSync(path)) throw alreadyThere(path);
}

/**
 * Creates the file of a plan, private to this user (0600), completely or not at all, and durably. `fill` adds each
 * record as one line of JSON text, and resolves with the totals after the last one; if it rejects, no file is created.
 * Memory does not grow with the records.
 * @throws Failure('usage') if a file of this name exists; it is never overwritten. Failure('unwritable-path') if the
 *   file cannot be created. Errors of `fill`.
 */
export async function createPlanFile(
  path: string,
  heading: Omit<PlanHeading, 'id'>,
  fill: (add: (record: string) => void) => Promise<JsonObject>,
): Promise<PlanEnd> {
  checkPlanPath(path);
  let end: PlanEnd | undefined;
  let fault: { readonly error: unknown } | undefined;
  try {
    await createAtomically(path, async (temporary) => {
      const file = openSync(temporary, 'wx', 0o600);
      try {
        const writer = new PlanWriter(file);
        writer.add(headingText(heading));
        const add = (record: string) => {
          try {
            writer.add(record);
          } catch (error) {
            throw unwritable(path, error);
          }
        };
        const totals = await fill(add).catch((error: unknown) => {
          fault = { error };
          throw error;
        });
        end = writer.end(totals);
      } finally {
        closeSync(file);
      }
    });
  } catch (error) {
    if (fault?.error === error) throw error;
    throw systemCodeOf(error) === 'EEXIST' ? alreadyThere(path) : unwritable(path, error);
  }
  if (end === undefined) throw new Error('a plan was made without an end');
  return end;
}

function headingText({ kind, createdAtMs, about }: Omit<PlanHeading, 'id'>): string {
  const id = `plan-${randomBytes(8).toString('hex')}`;
  const createdAt = new Date(createdAtMs).toISOString();
  return JSON.stringify({ reviewctlPlan: planFormat, id, kind, createdAt, about });
}

class PlanWriter {
  readonly #file: number;
  readonly #hash: Hash = createHash('sha256');
  #lines: string[] = [];
  #length = 0;
  #records = -1;

  constructor(file: number) {
    this.#file = file;
  }

  add(line: string): void {
    this.#records += 1;
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length >= bufferedLength) this.#flush();
  }

  end(totals: JsonObject): PlanEnd {
    const records = this.#records;
    this.#flush();
    this.#write(JSON.stringify({ records, totals }).slice(0, -1));
    const sha256 = this.#hash.digest('hex');
    writeAll(this.#file, Buffer.from(planSeal.write(sha256)));
    return { records, totals, sha256 };
  }

  #flush(): void {
    if (this.#lines.length > 0) this.#write(`${this.#lines.join('\n')}\n`);
    this.#lines = [];
    this.#length = 0;
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    this.#hash.update(bytes);
    writeAll(this.#file, bytes);
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written);
  }
}

function alreadyThere(path: string): Failure {
  return new Failure(
    'usage',
    `${path} exists already; a plan never replaces a file`,
    'name a new file, or remove this one first',
  );
}

function unwritable(path: string, error: unknown): Failure {
  return new Failure(
    'unwritable-path',
    `the plan ${path} cannot be written: ${messageOf(error)}`,
    'nothing was written; name a new file in a folder you may write to, on a disk with room',
    { cause: error },
  );
}

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Failure, messageOf, systemCodeOf } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../base/json.ts';
import { shellWord } from '../../base/shell-word.ts';
import { checkPlanAccess, type PlanAccess, type PlanOwner } from './plan-access.ts';
import { type PlanEnd, type PlanHeading, planFormat, planSeal } from './plan-file.ts';

/** An open plan: complete and unchanged. */
export interface PlanFile {
  readonly path: string;
  readonly heading: PlanHeading;
  readonly end: PlanEnd;
  /**
   * Batches of the JSON texts of the records, in order: exactly those checked on opening, even if the file changes
   * meanwhile.
   * @throws Failure('input') if the file was changed. Everything returned before is correct.
   */
  records(): AsyncIterable<readonly string[]>;
  close(): Promise<void>;
}

/** Bytes of the file read and verified at a time. */
const blockBytes = 1024 * 1024;

/** Longest line of a plan, which bounds memory. */
const longestLineBytes = 16 * blockBytes;

const newline = 0x0a;

/**
 * Opens a plan of `kind` and reads it once completely, so that the caller sees nothing of an incomplete or changed
 * plan. Access is checked on the open file, not on its name.
 * @throws Failure('unreadable-path') if it cannot be read; Failure('config') and Failure('guard') as `checkPlanAccess`;
 *   Failure('input') if it is not a plan, is of another kind or format, is incomplete, or was changed.
 */
export async function openPlanFile(
  path: string,
  { kind, ...access }: PlanAccess & { readonly kind?: string } = {},
): Promise<PlanFile> {
  const file = await openToRead(path, access.owner);
  try {
    await checkPlanAccess(path, file, access);
    const { size } = await file.stat();
    const heading = await readHeading(path, file, size);
    if (kind !== undefined && heading.kind !== kind) throw otherKind(path, heading.kind, kind);
    const read = await readThrough(path, file, size);
    return {
      path,
      heading,
      end: read.end,
      records: () => recordsOf(path, file, read),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openToRead(path: string, owner: PlanOwner | undefined): Promise<FileHandle> {
  // Opening a pipe would block. A link may lead to a plan other than the one the person means.
  const noFollow = owner === undefined ? 0 : constants.O_NOFOLLOW;
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
  } catch (error) {
    if (systemCodeOf(error) === 'ELOOP') {
      throw new Failure(
        'guard',
        `the plan ${path} is a symbolic link, which may lead anywhere`,
        `name the file itself: realpath ${shellWord(path)} prints its path`,
        { cause: error },
      );
    }
    throw new Failure(
      'unreadable-path',
      `the plan ${path} cannot be read: ${messageOf(error)}`,
      'check the path, and that you or your group may read the file; --plan-out FILE creates a plan',
      { cause: error },
    );
  }
}

async function readHeading(path: string, file: FileHandle, size: number): Promise<PlanHeading> {
  const start = await readAt(path, file, 0, Math.min(size, blockBytes));
  const length = start.indexOf(newline);
  const heading = parsed(start.subarray(0, Math.max(length, 0)).toString());
  const { reviewctlPlan: format, id, kind, createdAt, about } = heading ?? {};
  if (typeof format !== 'number') {
    throw new Failure('input', `${path} is not a plan`, 'name a file written by --plan-out');
  }
  if (format !== planFormat) {
    throw new Failure(
      'input',
      `the plan ${path} has format ${format}; this version reads only format ${planFormat}`,
      'make a new plan with --plan-out',
    );
  }
  const createdAtMs = typeof createdAt === 'string' ? Date.parse(createdAt) : Number.NaN;
  if (
    typeof id !== 'string' ||
    typeof kind !== 'string' ||
    !isJsonObject(about) ||
    Number.isNaN(createdAtMs)
  ) {
    throw changed(path);
  }
  return { id, kind, createdAtMs, about };
}

/** The result of the first reading: the range of the records, and a hash of each block. */
interface ReadThrough {
  readonly end: PlanEnd;
  readonly firstRecord: number;
  readonly pastRecords: number;
  readonly size: number;
  readonly blocks: readonly string[];
}

/** @throws Failure('input') if the end is missing or does not match the content before it. */
async function readThrough(path: string, file: FileHandle, size: number): Promise<ReadThrough> {
  const sealed = size - planSeal.bytes;
  const seal = (await readAt(path, file, Math.max(sealed, 0), Math.min(size, planSeal.bytes))).toString();
  const sha256 = planSeal.pattern.exec(seal)?.groups?.['sha256'];
  if (sha256 === undefined) throw changed(path);
  const hash = createHash('sha256');
  const blocks: string[] = [];
  let firstRecord = 0;
  let pastRecords = 0;
  let lines = 0;
  for (let at = 0; at < size; at += blockBytes) {
    const block = await readAt(path, file, at, Math.min(blockBytes, size - at));
    blocks.push(digestOf(block));
    const content = block.subarray(0, Math.max(sealed - at, 0));
    hash.update(content);
    for (let found = content.indexOf(newline); found >= 0; found = content.indexOf(newline, found + 1)) {
      pastRecords = at + found + 1;
      if (lines === 0) firstRecord = pastRecords;
      lines += 1;
    }
  }
  if (hash.digest('hex') !== sha256) throw changed(path);
  const end = await readEnd(path, file, { from: pastRecords, to: sealed });
  if (end?.records !== lines - 1) throw changed(path);
  return { end: { ...end, sha256 }, firstRecord, pastRecords, size, blocks };
}

async function readEnd(
  path: string,
  file: FileHandle,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Omit<PlanEnd, 'sha256'> | undefined> {
  if (to - from > longestLineBytes) return undefined;
  const end = parsed(`${(await readAt(path, file, from, to - from)).toString()}}`);
  if (end === undefined) return undefined;
  const { records, totals } = end;
  return typeof records === 'number' && isJsonObject(totals) ? { records, totals } : undefined;
}

/** Reads the same blocks again and verifies each before returning its lines. */
async function* recordsOf(
  path: string,
  file: FileHandle,
  { firstRecord, pastRecords, size, blocks }: ReadThrough,
): AsyncGenerator<readonly string[]> {
  let rest = Buffer.alloc(0);
  for (const [index, digest] of blocks.entries()) {
    const at = index * blockBytes;
    if (at >= pastRecords) return;
    const block = await readAt(path, file, at, Math.min(blockBytes, size - at));
    if (digestOf(block) !== digest) throw changed(path);
    const part = block.subarray(Math.max(firstRecord - at, 0), pastRecords - at);
    const whole = part.lastIndexOf(newline) + 1;
    if (whole > 0)
      yield Buffer.concat([rest, part.subarray(0, whole - 1)])
        .toString()
        .split('\n');
    rest = Buffer.concat([whole > 0 ? Buffer.alloc(0) : rest, part.subarray(whole)]);
    if (rest.length > longestLineBytes) throw changed(path);
  }
}

/** @throws Failure('input') if the file is now shorter; Failure('unreadable-path') if its disk fails. */
async function readAt(path: string, file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let read = 0; read < length; ) {
    const { bytesRead } = await file.read(bytes, read, length - read, position + read).catch((error) => {
      throw new Failure(
        'unreadable-path',
        `the plan ${path} cannot be read: ${messageOf(error)}`,
        'check that its disk works',
        {
          cause: error,
        },
      );
    });
    if (bytesRead === 0) throw changed(path);
    read += bytesRead;
  }
  return bytes;
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}

function parsed(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

function otherKind(path: string, kind: string, expected: string): Failure {
  return new Failure(
    'input',
    `${path} is a plan of ${kind}, not of ${expected}`,
    hint`see what it plans: ${reviewctl`plan show ${path}`}`,
  );
}

function changed(path: string): Failure {
  return new Failure(
    'input',
    `the plan ${path} is incomplete, or was changed after it was made`,
    'copy it again from where it was made, or make a new plan: a plan is carried out only if it is unchanged',
  );
}

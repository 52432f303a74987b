import type { Random } from '../../src/base/random.ts';
import type { DiskCall } from './disk-trace.ts';

/** A disk writes a sector of this size completely or not at all. */
const sectorBytes = 512;

type Change = Extract<DiskCall, { readonly kind: 'write' | 'cut' }>;

interface FileImage {
  /** The content that survives a loss of power. */
  synced: Buffer;
  /** Later changes, of which any part may be lost. */
  unsynced: Change[];
}

/** The possible states of files after a loss of power, at each call of a trace. */
export class DiskImages {
  readonly #files = new Map<string, FileImage>();

  /** `files` are initially on the disk. */
  constructor(files: ReadonlyMap<string, Buffer>) {
    for (const [path, synced] of files) this.#files.set(path, { synced, unsynced: [] });
  }

  apply(call: DiskCall): void {
    const name = call.kind === 'link' ? call.from : call.path;
    const file = this.#files.get(name) ?? { synced: Buffer.alloc(0), unsynced: [] };
    if (call.kind === 'remove') {
      this.#files.delete(call.path);
      return;
    }
    this.#files.set(call.path, file);
    if (call.kind === 'link') return;
    if (call.kind !== 'sync') file.unsynced.push(call);
    else Object.assign(file, { synced: file.unsynced.reduce(changed, file.synced), unsynced: [] });
  }

  /** The files without any unsynced change. */
  withoutUnsynced(): ReadonlyMap<string, Buffer> {
    return new Map([...this.#files].map(([path, { synced }]) => [path, synced]));
  }

  /** The files with some unsynced sectors, which reach the disk in any order. */
  withSome(random: Random): ReadonlyMap<string, Buffer> {
    return new Map(
      [...this.#files].map(([path, { synced, unsynced }]) => [
        path,
        unsynced
          .flatMap((change) => (change.kind === 'write' ? sectorsOf(change) : [change]))
          .filter(() => random() < 0.5)
          .reduce(changed, synced),
      ]),
    );
  }
}

function changed(content: Buffer, change: Change): Buffer {
  if (change.kind === 'cut') return resized(content, change.size);
  const offset = change.offset ?? content.length;
  const next = resized(content, Math.max(content.length, offset + change.content.length));
  change.content.copy(next, offset);
  return next;
}

function resized(content: Buffer, size: number): Buffer {
  const next = Buffer.alloc(size);
  content.copy(next);
  return next;
}

function sectorsOf({ path, content, offset }: Extract<Change, { readonly kind: 'write' }>): Change[] {
  if (offset === null) return [{ kind: 'write', path, content, offset }];
  const pieces: Change[] = [];
  for (let start = 0; start < content.length; ) {
    const end = Math.min(content.length, start + sectorBytes - ((offset + start) % sectorBytes));
    pieces.push({ kind: 'write', path, content: content.subarray(start, end), offset: offset + start });
    start = end;
  }
  return pieces;
}

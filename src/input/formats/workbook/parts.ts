import { TextDecoder } from 'node:util';
import type { DiskFile } from '../../open/input-file.ts';
import { attribute, isTrue, type XmlHandler, XmlReader } from './xml.ts';
import { BrokenWorkbook, type ByteSource, readZipDirectory, unpackEntry, type ZipDirectory } from './zip.ts';

/** The files in a workbook, which the standard calls parts. */
export interface Parts {
  readonly source: ByteSource;
  readonly directory: ZipDirectory;
}

/** A file that contains a workbook. */
export interface WorkbookFile {
  readonly disk: DiskFile;
  /** Undefined for a protected workbook, whose parts are encrypted. */
  readonly parts: Parts | undefined;
}

/** @throws the failures of `readZipDirectory`. */
export async function openParts(source: ByteSource): Promise<Parts> {
  return { source, directory: await readZipDirectory(source) };
}

/**
 * Reads the XML of a part with `handler`, one piece per iteration.
 * @throws BrokenWorkbook if the part does not exist, and the failures of `unpackEntry`, `XmlReader` and the handler.
 * Messages name the part.
 */
export async function* readPart(
  { source, directory }: Parts,
  name: string,
  handler: XmlHandler,
): AsyncGenerator<void> {
  const entry = directory.get(name);
  if (entry === undefined) throw new BrokenWorkbook(`${name} is missing`);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const xml = new XmlReader(handler);
  const read = (bytes?: Buffer) => {
    const text = textIn(bytes, decoder, name);
    try {
      xml.read(text);
      if (bytes === undefined) xml.end();
    } catch (error) {
      throw error instanceof BrokenWorkbook ? new BrokenWorkbook(`${error.message} (in ${name})`) : error;
    }
  };
  for await (const bytes of unpackEntry(source, entry)) {
    read(bytes);
    yield;
  }
  read();
}

function textIn(bytes: Buffer | undefined, decoder: TextDecoder, name: string): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch (error) {
    throw new BrokenWorkbook(`${name} is not UTF-8 text`, { cause: error });
  }
}

/** A sheet in the workbook's list. */
export interface SheetPart {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string;
}

/** The main part of a workbook. */
export interface WorkbookPart {
  readonly sheets: readonly SheetPart[];
  /** True if days are counted from 1904, as on early Macs. */
  readonly is1904: boolean;
  readonly stringsPart: string | undefined;
  readonly stylesPart: string | undefined;
}

/** Maximum number of relations to read. */
const listMaximum = 100_000;

/** @throws the failures of `readPart`. */
export async function readWorkbookPart(parts: Parts): Promise<WorkbookPart> {
  const main = (await readRelations(parts, '')).find(({ type }) => type === 'officeDocument');
  const path = main?.target ?? 'xl/workbook.xml';
  const relations = await readRelations(parts, path);
  const listed: { name: string; isHidden: boolean; id: string }[] = [];
  let is1904 = false;
  await readWhole(parts, path, (name, tag) => {
    if (name === 'workbookPr') is1904 = isTrue(attribute(tag, 'date1904'));
    if (name !== 'sheet') return;
    const isHidden = (attribute(tag, 'state') ?? 'visible') !== 'visible';
    listed.push({ name: attribute(tag, 'name') ?? '', isHidden, id: relationId(tag) });
  });
  const sheets = listed.flatMap(({ id, ...sheet }) => {
    const relation = relations.find((known) => known.id === id);
    if (relation === undefined) throw new BrokenWorkbook(`the location of sheet ${sheet.name} is missing`);
    // A chart may have a sheet of its own, which has no cells.
    return relation.type === 'worksheet' ? [{ ...sheet, part: relation.target }] : [];
  });
  const partOf = (type: string) => relations.find((relation) => relation.type === type)?.target;
  return { sheets, is1904, stringsPart: partOf('sharedStrings'), stylesPart: partOf('styles') };
}

/** The prefixed `id` of a sheet, which refers to its part. The plain `id` is something else. */
function relationId(tag: string): string {
  const [, double, single] = /\s[\w.-]+:id\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(tag) ?? [];
  return double ?? single ?? '';
}

interface Relation {
  readonly id: string;
  /** Last segment of the type, which is the same in the strict and transitional standards. */
  readonly type: string;
  readonly target: string;
}

/** Reads the relations of the part at `path`; `''` is the whole archive. */
async function readRelations(parts: Parts, path: string): Promise<readonly Relation[]> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const relationsPath = `${folder}_rels/${path.slice(folder.length)}.rels`;
  const relations: Relation[] = [];
  if (!parts.directory.has(relationsPath)) return relations;
  await readWhole(parts, relationsPath, (name, tag) => {
    if (name !== 'Relationship' || relations.length === listMaximum) return;
    const type = (attribute(tag, 'Type') ?? '').split('/').at(-1) ?? '';
    const target = pathFrom(folder, attribute(tag, 'Target') ?? '');
    relations.push({ id: attribute(tag, 'Id') ?? '', type, target });
  });
  return relations;
}

/** Resolves `target` relative to `folder`. */
function pathFrom(folder: string, target: string): string {
  const path: string[] = target.startsWith('/') ? [] : folder.split('/').filter(Boolean);
  for (const name of target.split('/')) {
    if (name === '..') path.pop();
    else if (name !== '' && name !== '.') path.push(name);
  }
  return path.join('/');
}

/** Reads the tags of a part and ignores its text. @throws the failures of `readPart`. */
export async function readWhole(
  parts: Parts,
  part: string,
  open: (name: string, tag: string) => void,
  close: (name: string) => void = () => undefined,
): Promise<void> {
  for await (const _ of readPart(parts, part, { open, close, text: () => undefined }));
}

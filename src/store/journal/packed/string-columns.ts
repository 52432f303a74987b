import {
  getNumber,
  getValues,
  type OptionalString,
  putNumber,
  putValues,
  valueHeadBytes,
} from './front-coding.ts';

/*
 * Columns of optional strings, packed in the form that is quick and small for what they hold. A column begins with its
 * form; then, unless that is `none`, the number of bytes that follow and the number of units of all values (32 bits
 * each). Files hold these forms for good.
 */
const forms = {
  /** No value at all. */
  none: 0,
  /** Front-coded, one byte a unit or two. */
  narrow: 1,
  wide: 2,
  /** Of ASCII alone: 0 and the length of all values, or 1 and the length of each; then the values, joined. */
  joined: 3,
  /** Each value is the beginning of that of the column before: their lengths, as above. */
  beginnings: 4,
} as const;

/** Bytes before those of a column. */
const headBytes = 9;

/** Packs columns one after the other; serves any number of blobs. */
export class ColumnWriter {
  #bytes = Buffer.alloc(1 << 14);
  #end = 0;

  writeNumber(value: number): void {
    this.#reserve(valueHeadBytes);
    this.#end = putNumber(value, this.#bytes, this.#end);
  }

  /** Small numbers, one byte each; a single one where all are the same. */
  writeBytes(values: Uint8Array): void {
    this.#reserve(values.length + 2);
    const [first = 0] = values;
    let isUniform = true;
    for (const value of values) isUniform &&= value === first;
    this.#bytes[this.#end++] = isUniform ? 1 : 2;
    const length = isUniform ? 1 : values.length;
    for (let at = 0; at < length; at += 1) this.#bytes[this.#end++] = values[at] ?? first;
  }

  /** Values of which each is likely to begin as the one before it. */
  writeCounted(values: readonly OptionalString[]): void {
    const { unitCount, valueCount } = measure(values);
    this.#reserve(headBytes + values.length * valueHeadBytes + 2 * unitCount);
    if (valueCount === 0) {
      this.#bytes[this.#end++] = forms.none;
      return;
    }
    const start = this.#end + headBytes;
    const narrowEnd = putValues(values, this.#bytes, start, 1);
    const end = narrowEnd ?? putValues(values, this.#bytes, start, 2) ?? start;
    this.#finish(narrowEnd === undefined ? forms.wide : forms.narrow, unitCount, end);
  }

  /** Values of which each is likely to be the beginning of that of `column`, which was written just before. */
  writeBeginnings(values: readonly OptionalString[], column: readonly OptionalString[]): void {
    let areBeginnings = true;
    for (let at = 0; areBeginnings && at < values.length; at += 1)
      areBeginnings = isBeginning(values[at], column[at]);
    if (!areBeginnings) {
      this.writeCounted(values);
      return;
    }
    this.#reserve(headBytes + (values.length + 1) * valueHeadBytes);
    this.#finish(forms.beginnings, 0, this.#putLengths(values as readonly string[]));
  }

  /** Any values; short ones and those that share little are written quickest like this. */
  writeJoined(values: readonly OptionalString[]): void {
    let text = '';
    for (const value of values) {
      if (value === undefined) {
        this.writeCounted(values);
        return;
      }
      text += value;
    }
    if (Buffer.byteLength(text) !== text.length) {
      this.writeCounted(values);
      return;
    }
    this.#reserve(headBytes + (values.length + 1) * valueHeadBytes + text.length);
    const start = this.#putLengths(values as readonly string[]);
    this.#finish(forms.joined, text.length, start + this.#bytes.write(text, start, 'latin1'));
  }

  /** What was written since the last time. */
  take(): Uint8Array {
    // A copy in the pool of buffers: one array buffer each would cost more than the packing.
    const taken = Buffer.from(this.#bytes.subarray(0, this.#end));
    this.#end = 0;
    return taken;
  }

  /** Writes the lengths behind the head of the column; returns where they end. */
  #putLengths(values: readonly string[]): number {
    const [{ length: first } = ''] = values;
    let isUniform = true;
    for (const { length } of values) isUniform &&= length === first;
    let end = putNumber(isUniform ? 0 : 1, this.#bytes, this.#end + headBytes);
    if (isUniform) return putNumber(first, this.#bytes, end);
    for (const { length } of values) end = putNumber(length, this.#bytes, end);
    return end;
  }

  /** Writes the head of the column that ends at `end`. */
  #finish(form: number, unitCount: number, end: number): void {
    this.#bytes[this.#end] = form;
    this.#bytes.writeUInt32LE(end - this.#end - headBytes, this.#end + 1);
    this.#bytes.writeUInt32LE(unitCount, this.#end + 5);
    this.#end = end;
  }

  #reserve(length: number): void {
    if (this.#end + length <= this.#bytes.length) return;
    const larger = Buffer.alloc(2 * (this.#end + length));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

// Some five times as quick as `startsWith`, which is called outside of the compiled code.
function isBeginning(value: OptionalString, of: OptionalString): boolean {
  if (value === undefined || of === undefined || value.length > of.length) return false;
  for (let at = 0; at < value.length; at += 1) if (value.charCodeAt(at) !== of.charCodeAt(at)) return false;
  return true;
}

function measure(values: readonly OptionalString[]) {
  let [unitCount, valueCount] = [0, 0];
  for (const value of values) {
    if (value === undefined) continue;
    unitCount += value.length;
    valueCount += 1;
  }
  return { unitCount, valueCount };
}

/** Reads what a `ColumnWriter` wrote, in the same order. */
export class ColumnReader {
  readonly #bytes: Buffer;
  readonly #number = { value: 0 };
  #at = 0;
  #before: StringColumn | undefined;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
  }

  readNumber(): number {
    this.#at = getNumber(this.#bytes, this.#at, this.#number);
    return this.#number.value;
  }

  readBytes(count: number): Uint8Array {
    const isUniform = this.#bytes[this.#at++] === 1;
    if (isUniform) return new Uint8Array(count).fill(this.#bytes[this.#at++] ?? 0);
    this.#at += count;
    return new Uint8Array(this.#bytes.subarray(this.#at - count, this.#at));
  }

  readColumn(count: number): StringColumn {
    const form = this.#bytes[this.#at++] ?? forms.none;
    if (form === forms.none) return noColumn;
    const length = this.#bytes.readUInt32LE(this.#at);
    const unitCount = this.#bytes.readUInt32LE(this.#at + 4);
    const start = this.#at + 8;
    this.#at = start + length;
    const packed = { form, bytes: this.#bytes.subarray(start, this.#at), unitCount, before: this.#before };
    this.#before = new StringColumn(packed, count);
    return this.#before;
  }
}

interface PackedColumn {
  readonly form: number;
  readonly bytes: Buffer;
  readonly unitCount: number;
  /** The column before it. */
  readonly before: StringColumn | undefined;
}

/** The values of a column by their positions, unpacked when the first is asked for. */
export class StringColumn {
  #packed: PackedColumn | undefined;
  #text = '';
  /** Of each value its start and its end in the text; an end of -1 where there is none. */
  readonly #bounds: Int32Array;

  constructor(packed: PackedColumn | undefined, count: number) {
    this.#packed = packed;
    this.#bounds = new Int32Array(2 * count);
  }

  at(position: number): OptionalString {
    if (this.#packed !== undefined) this.#unpack(this.#packed);
    const end = this.#bounds[2 * position + 1] ?? -1;
    return end < 0 ? undefined : this.#text.substring(this.#bounds[2 * position] ?? 0, end);
  }

  /** Whether `value` is at `position`. */
  isAt(position: number, value: string): boolean {
    if (this.#packed !== undefined) this.#unpack(this.#packed);
    const start = this.#bounds[2 * position] ?? 0;
    const end = this.#bounds[2 * position + 1] ?? -1;
    return end - start === value.length && this.#text.substring(start, end) === value;
  }

  #unpack(packed: PackedColumn): void {
    this.#packed = undefined;
    const { form, bytes, before } = packed;
    if (form === forms.narrow || form === forms.wide) this.#text = unpackCounted(packed, this.#bounds);
    else if (before !== undefined && form === forms.beginnings) this.#takeBeginnings(bytes, before);
    else this.#text = bytes.toString('latin1', readLengths(bytes, this.#bounds));
  }

  #takeBeginnings(bytes: Buffer, column: StringColumn): void {
    column.at(0);
    readLengths(bytes, this.#bounds);
    this.#text = column.#text;
    for (let bound = 0; bound < this.#bounds.length; bound += 2) {
      const length = (this.#bounds[bound + 1] ?? 0) - (this.#bounds[bound] ?? 0);
      const start = column.#bounds[bound] ?? 0;
      this.#bounds[bound] = start;
      this.#bounds[bound + 1] = start + length;
    }
  }
}

const noColumn = new StringColumn(undefined, 0);

/** Reads lengths as the bounds of values that follow one another; returns where the lengths end. */
function readLengths(bytes: Uint8Array, bounds: Int32Array): number {
  const number = { value: 0 };
  let at = getNumber(bytes, 0, number);
  const isUniform = number.value === 0;
  if (isUniform) at = getNumber(bytes, at, number);
  let end = 0;
  for (let bound = 0; bound < bounds.length; bound += 2) {
    if (!isUniform) at = getNumber(bytes, at, number);
    bounds[bound] = end;
    end += number.value;
    bounds[bound + 1] = end;
  }
  return at;
}

/** Where columns of the usual length are unpacked. Reused, since unpacking never waits. */
const narrow = new Uint8Array(1 << 16);

/** The text of all values, one after the other. */
function unpackCounted({ form, bytes, unitCount }: PackedColumn, bounds: Int32Array): string {
  if (form === forms.wide) {
    const units = new Uint16Array(unitCount);
    getValues(bytes, units, bounds, 2);
    return Buffer.from(units.buffer).toString('utf16le');
  }
  const units = unitCount > narrow.length ? new Uint8Array(unitCount) : narrow;
  getValues(bytes, units, bounds, 1);
  return Buffer.from(units.buffer, 0, unitCount).toString('latin1');
}

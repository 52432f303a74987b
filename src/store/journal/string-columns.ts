/*
 * Columns of optional strings, packed: a value is written as what it does not share with the beginning of the one before it, so that
 * ids that count up take a few bytes each. Any string comes back exactly, halves of surrogate pairs and NULs included.
 *
 * A column is its width (0: no value at all, 1: no unit above 255, 2: any), and unless that is 0 the number of bytes that follow and of
 * units of all values (32 bits each); then for each value a number: 0 for none, else 1 + 2 × units written + (0 where the value is as long
 * as the one before it, else 1, and its length follows); then those units. Numbers are 7 bits a byte, the least first. Files hold this form for good.
 */

type OptionalString = string | undefined;

type Width = 1 | 2;

/** Bytes before the first value of a column, and those before the units of a value at most. */
const columnHeadBytes = 9;
const valueHeadBytes = 10;

/** Packs columns one after the other; serves any number of blobs. */
export class ColumnWriter {
  #bytes = new Uint8Array(1 << 14);
  #end = 0;

  writeNumber(value: number): void {
    this.#reserve(valueHeadBytes);
    this.#end = putNumber(value, this.#bytes, this.#end);
  }

  /** Small numbers, one byte each; a single one where all are the same. */
  writeBytes(values: Uint8Array): void {
    this.#reserve(values.length + 2);
    const [first = 0] = values;
    const isUniform = values.every((value) => value === first);
    const written = isUniform ? [first] : values;
    this.#bytes[this.#end++] = isUniform ? 1 : 2;
    this.#bytes.set(written, this.#end);
    this.#end += written.length;
  }

  writeColumn(values: readonly OptionalString[]): void {
    const { unitCount, valueCount } = measure(values);
    this.#reserve(columnHeadBytes + values.length * valueHeadBytes + 2 * unitCount);
    if (valueCount === 0) {
      this.#bytes[this.#end++] = 0;
      return;
    }
    const start = this.#end + columnHeadBytes;
    const narrowEnd = putValues(values, this.#bytes, start, 1);
    const end = narrowEnd ?? putValues(values, this.#bytes, start, 2) ?? start;
    this.#bytes[this.#end] = narrowEnd === undefined ? 2 : 1;
    const head = new DataView(this.#bytes.buffer);
    head.setUint32(this.#end + 1, end - start, true);
    head.setUint32(this.#end + 5, unitCount, true);
    this.#end = end;
  }

  /** What was written since the last time. */
  take(): Uint8Array {
    const taken = this.#bytes.slice(0, this.#end);
    this.#end = 0;
    return taken;
  }

  #reserve(length: number): void {
    if (this.#end + length <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#end + length));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
  }
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

/** The value before, in UTF-16 units. Reused, since packing never waits. */
let before = new Uint16Array(1 << 10);

/** Where the values end that are written from `start` on; undefined where a unit does not fit the width. */
function putValues(
  values: readonly OptionalString[],
  bytes: Uint8Array,
  start: number,
  width: Width,
): number | undefined {
  let end = start;
  let lengthBefore = 0;
  for (const value of values) {
    if (value === undefined) {
      bytes[end++] = 0;
      continue;
    }
    const { length } = value;
    if (length > before.length) before = longer(before, length);
    const most = length < lengthBefore ? length : lengthBefore;
    let at = 0;
    while (at < most && value.charCodeAt(at) === before[at]) at += 1;
    end = putNumber(1 + 2 * (length - at) + (length === lengthBefore ? 0 : 1), bytes, end);
    if (length !== lengthBefore) end = putNumber(length, bytes, end);
    lengthBefore = length;
    for (; at < length; at += 1) {
      const unit = value.charCodeAt(at);
      before[at] = unit;
      bytes[end++] = unit;
      if (width === 2) bytes[end++] = unit >> 8;
      else if (unit > 255) return undefined;
    }
  }
  return end;
}

function putNumber(value: number, bytes: Uint8Array, start: number): number {
  let end = start;
  let rest = value;
  while (rest > 127) {
    bytes[end++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}

function longer(array: Uint16Array, length: number): Uint16Array<ArrayBuffer> {
  const copy = new Uint16Array(2 * length);
  copy.set(array);
  return copy;
}

/** Reads what a `ColumnWriter` wrote, in the same order. */
export class ColumnReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  readNumber(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  readBytes(count: number): Uint8Array {
    const isUniform = this.#bytes[this.#at++] === 1;
    if (isUniform) return new Uint8Array(count).fill(this.#bytes[this.#at++] ?? 0);
    this.#at += count;
    return this.#bytes.slice(this.#at - count, this.#at);
  }

  readColumn(count: number): StringColumn {
    const bytes = this.#bytes;
    const width = bytes[this.#at++];
    if (width !== 1 && width !== 2) return noColumn;
    const head = new DataView(bytes.buffer, bytes.byteOffset);
    const length = head.getUint32(this.#at, true);
    const unitCount = head.getUint32(this.#at + 4, true);
    const start = this.#at + 8;
    this.#at = start + length;
    return new StringColumn({ bytes: bytes.subarray(start, this.#at), unitCount, width }, count);
  }
}

interface PackedColumn {
  readonly bytes: Uint8Array;
  readonly unitCount: number;
  readonly width: Width;
}

/** The values of a column by their positions, unpacked when the first is asked for. */
export class StringColumn {
  #packed: PackedColumn | undefined;
  /** All values, one after the other. */
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
    return end - start === value.length && this.#text.startsWith(value, start);
  }

  #unpack({ bytes, unitCount, width }: PackedColumn): void {
    if (width === 1) {
      const units = unitCount > narrow.length ? new Uint8Array(unitCount) : narrow;
      getValues(bytes, units, this.#bounds, width);
      this.#text = Buffer.from(units.buffer, 0, unitCount).toString('latin1');
    } else {
      const units = new Uint16Array(unitCount);
      getValues(bytes, units, this.#bounds, width);
      this.#text = Buffer.from(units.buffer).toString('utf16le');
    }
    this.#packed = undefined;
  }
}

const noColumn = new StringColumn(undefined, 0);

/** Where columns of the usual length are unpacked. Reused, since unpacking never waits. */
const narrow = new Uint8Array(1 << 16);

function getValues(
  bytes: Uint8Array,
  units: Uint8Array | Uint16Array,
  bounds: Int32Array,
  width: Width,
): void {
  const head = { value: 0, end: 0 };
  let [at, start, end] = [0, 0, 0];
  for (let bound = 0; bound < bounds.length; bound += 2) {
    at = getNumber(bytes, at, head);
    bounds[bound + 1] = -1;
    if (head.value === 0) continue;
    const written = (head.value - 1) >>> 1;
    let length = end - start;
    if ((head.value & 1) === 0) {
      at = getNumber(bytes, at, head);
      length = head.value;
    }
    const shared = length - written;
    for (let unit = 0; unit < shared; unit += 1) units[end + unit] = units[start + unit] ?? 0;
    start = end;
    end += length;
    for (let unit = start + shared; unit < end; unit += 1) {
      const low = bytes[at++] ?? 0;
      units[unit] = width === 1 ? low : low + 256 * (bytes[at++] ?? 0);
    }
    bounds[bound] = start;
    bounds[bound + 1] = end;
  }
}

function getNumber(bytes: Uint8Array, start: number, into: { value: number }): number {
  let at = start;
  let byte = bytes[at++] ?? 0;
  into.value = byte & 127;
  for (let shift = 7; byte > 127; shift += 7) {
    byte = bytes[at++] ?? 0;
    into.value |= (byte & 127) << shift;
  }
  return at;
}

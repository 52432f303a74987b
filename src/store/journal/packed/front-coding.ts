/*
 * Strings one after the other, each written as what it does not share with the beginning of the one before it, so that
 * ids that count up take a few bytes each. Any string comes back exactly, halves of surrogate pairs and NULs included.
 *
 * A value is a number: 0 for none, else 1 + 2 × units written + (0 where it is as long as the value before it, else 1,
 * and its length follows), then those units. Numbers are 7 bits a byte, the least first. Files hold this form for good.
 */

export type OptionalString = string | undefined;

/** Bytes of a UTF-16 unit: 1 where all are below 256. */
export type UnitWidth = 1 | 2;

/** Bytes of the numbers of a value, at most. */
export const valueHeadBytes = 10;

/** The value before, in UTF-16 units. Reused, since packing never waits. */
let before = new Uint16Array(1 << 10);

/** Where the values end that are written from `start` on; undefined where a unit does not fit the width. */
export function putValues(
  values: readonly OptionalString[],
  bytes: Uint8Array,
  start: number,
  width: UnitWidth,
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

function longer(array: Uint16Array, length: number): Uint16Array<ArrayBuffer> {
  const copy = new Uint16Array(2 * length);
  copy.set(array);
  return copy;
}

/** Writes a number of less than 2^31; returns where it ends. */
export function putNumber(value: number, bytes: Uint8Array, start: number): number {
  let end = start;
  let rest = value;
  while (rest > 127) {
    bytes[end++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  bytes[end++] = rest;
  return end;
}

/**
 * Reads the units of all values, and to `bounds` the start and the end of each; the end is -1 where there is no value.
 */
export function getValues(
  bytes: Uint8Array,
  units: Uint8Array | Uint16Array,
  bounds: Int32Array,
  width: UnitWidth,
): void {
  const head = { value: 0 };
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

/** Reads a number; returns where it ends. */
export function getNumber(bytes: Uint8Array, start: number, into: { value: number }): number {
  let at = start;
  let byte = bytes[at++] ?? 0;
  into.value = byte & 127;
  for (let shift = 7; byte > 127; shift += 7) {
    byte = bytes[at++] ?? 0;
    into.value |= (byte & 127) << shift;
  }
  return at;
}

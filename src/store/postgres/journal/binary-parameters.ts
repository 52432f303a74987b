/* Parameters in the binary form of PostgreSQL, in which many small values take little time on both sides. */

/** The type of the elements, as the catalog numbers it. */
const int4 = 23;
const headBytes = 20;

/** A list of 32-bit integers. */
export function int4Array(values: readonly number[]): Buffer {
  // An empty list has no dimension.
  if (values.length === 0) return headOf([0, 0, int4]);
  const bytes = Buffer.allocUnsafe(headBytes + 8 * values.length);
  // One dimension, no nulls, numbered from 1.
  let end = headOf([1, 0, int4, values.length, 1]).copy(bytes);
  for (const value of values) {
    end = bytes.writeInt32BE(4, end);
    end = bytes.writeInt32BE(value, end);
  }
  return bytes;
}

function headOf(numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * numbers.length);
  for (const [at, number] of numbers.entries()) bytes.writeInt32BE(number, 4 * at);
  return bytes;
}

/** Several values in one, with where each of them begins and ends, counted from 1. */
export interface Joined {
  readonly all: Buffer;
  readonly starts: Buffer;
  readonly ends: Buffer;
  readonly lengths: Buffer;
}

export function joinBytes(values: readonly Uint8Array[]): Joined {
  return { all: Buffer.concat(values), ...boundsOf(values.map(({ length }) => length)) };
}

export function joinIntegers(values: readonly (readonly number[])[]): Joined {
  return { all: int4Array(values.flat()), ...boundsOf(values.map(({ length }) => length)) };
}

function boundsOf(lengths: readonly number[]): Omit<Joined, 'all'> {
  const [starts, ends]: [number[], number[]] = [[], []];
  let end = 0;
  for (const length of lengths) {
    starts.push(end + 1);
    end += length;
    ends.push(end);
  }
  return { starts: int4Array(starts), ends: int4Array(ends), lengths: int4Array(lengths) };
}

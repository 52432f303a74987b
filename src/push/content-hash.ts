import { hash } from 'node:crypto';

/** 132 bits of a hash over all that is sent of a record, then 66 bits over that part of it which no update can change. */
const wholeLength = 22;
const settledLength = 11;

/** A hash over what is sent of a record; `settled` is what no later update can change, all of it where left out. */
export function contentHash(whole: object, settled?: object): string {
  return hashOf(whole, wholeLength) + (settled === undefined ? '' : hashOf(settled, settledLength));
}

export function isSameContent(one: string, other: string): boolean {
  return one.slice(0, wholeLength) === other.slice(0, wholeLength);
}

/** Whether two contents differ in nothing but what an update can change. */
export function canBeUpdated(from: string, to: string): boolean {
  const settled = from.slice(wholeLength);
  return settled !== '' && settled === to.slice(wholeLength);
}

function hashOf(content: object, length: number): string {
  return hash('sha256', JSON.stringify(content), 'base64url').slice(0, length);
}

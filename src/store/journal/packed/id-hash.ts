/**
 * A hash of 32 bits over an id and the code of its kind, as a signed number: one without a sign would be an object
 * where its first bit is set. Ids that share one are distinguished by the ids themselves.
 */
export type IdHash = (kindCode: number, id: string) => number;

/**
 * FNV-1a over UTF-16 units, mixed at the end so that all bits depend on all units. Files hold these hashes for good.
 */
export const hashId: IdHash = (kindCode, id) => {
  let hash = 0x811c9dc5 ^ kindCode;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
};

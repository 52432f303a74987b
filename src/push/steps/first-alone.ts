/**
 * Carries out work of one kind: alone, one after the other, until a first piece of it succeeded and is a proof; from
 * then on as it comes. Any value is a proof unless `isProof` says otherwise.
 */
export type FirstAlone = <T>(work: () => Promise<T>, isProof?: (value: T) => boolean) => Promise<T>;

/** What the service makes of a kind of write is seen at the first one, before there is a second. */
export function createFirstAlone(): FirstAlone {
  let isProven = false;
  let isUnderWay = false;
  let waiting: (() => void)[] = [];
  const letNextBegin = () => {
    const beginning = isProven ? waiting : waiting.slice(0, 1);
    waiting = waiting.slice(beginning.length);
    isUnderWay = beginning.length > 0;
    for (const begin of beginning) begin();
  };
  return async (work, isProof = () => true) => {
    if (!isProven && isUnderWay) await new Promise<void>((begin) => waiting.push(begin));
    if (isProven) return work();
    isUnderWay = true;
    try {
      const value = await work();
      isProven = isProof(value);
      return value;
    } finally {
      letNextBegin();
    }
  };
}

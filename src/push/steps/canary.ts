/**
 * Carries out work of one kind: one piece after the other until the first one is a proof of success, then concurrently,
 * until an answer is lost. Any value is a proof unless `judge` says otherwise.
 */
export type Canary = <T>(work: () => Promise<T>, judge?: (value: T) => Verdict) => Promise<T>;

/** The verdict on a value. A doubt cancels an earlier proof, and work that was under way then proves nothing. */
type Verdict = 'proof' | 'nothing' | 'doubt';

/** Lets the first write of a kind show how the service handles it, before there is a second. */
export function createCanary(): Canary {
  let isProven = false;
  let isUnderWay = false;
  let doubts = 0;
  const waiting: ((isAlone: boolean) => void)[] = [];
  const letNextBegin = () => {
    isUnderWay = !isProven && waiting.length > 0;
    const beginning = waiting.splice(0, isProven ? waiting.length : 1);
    for (const begin of beginning) begin(isUnderWay);
  };
  return async (work, judge = () => 'proof') => {
    let isAlone = !isProven;
    if (isAlone && isUnderWay) isAlone = await new Promise<boolean>((begin) => waiting.push(begin));
    else if (isAlone) isUnderWay = true;
    const doubtsBefore = doubts;
    try {
      const value = await work();
      const verdict = judge(value);
      if (verdict === 'doubt') {
        doubts += 1;
        isProven = false;
      } else if (verdict === 'proof' && doubts === doubtsBefore) isProven = true;
      return value;
    } finally {
      if (isAlone) letNextBegin();
    }
  };
}

/** Carries out work of one kind: alone, one after the other, until a first piece of it succeeded; from then on as it comes. */
export type FirstAlone = <T>(work: () => Promise<T>) => Promise<T>;

/** What the service makes of a kind of write is seen at the first one, before there is a second. */
export function createFirstAlone(): FirstAlone {
  let isProven = false;
  let before: Promise<unknown> = Promise.resolve();
  return async (work) => {
    if (isProven) return work();
    const result = before.then(work);
    before = result.catch(() => undefined);
    const value = await result;
    isProven = true;
    return value;
  };
}

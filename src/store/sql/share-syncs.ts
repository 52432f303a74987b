/** Resolves once all that was written before the call is on the disk. */
export interface SharedSyncs {
  (): Promise<void>;
  /** Resolves when nothing waits any more, however that ended. */
  ended(): Promise<void>;
}

/**
 * Callers that ask during a wait for the disk share the next one: it covers all that was written before it began. Once
 * a wait fails, all later ones fail alike, since a later one might succeed and say nothing of what was lost.
 */
export function shareSyncs(sync: () => Promise<void>): SharedSyncs {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;

  async function begin(): Promise<void> {
    next = undefined;
    try {
      if (failure !== undefined) throw failure.error;
      await sync();
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }

  function start(): Promise<void> {
    const wait = begin().finally(() => {
      if (running === wait) running = undefined;
    });
    running = wait;
    return wait;
  }

  function wait(): Promise<void> {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  }

  const ended = async () => {
    while (running !== undefined) await running.catch(() => undefined);
  };
  return Object.assign(wait, { ended });
}

import type { PushFlow } from '../steps/planned.ts';

/**
 * The steps up to the first write that is one too many. Records that are sent as one stay together, so there may be
 * some more than `most`.
 */
export async function* limitSteps<R, Step>(
  flow: PushFlow<R, Step>,
  steps: AsyncIterable<readonly Step[]>,
  most: number,
): AsyncGenerator<readonly Step[]> {
  let left = most;
  for await (const batch of steps) {
    for (const step of batch) {
      const isWriting = flow.plannedOf(step).some(({ write }) => write !== undefined);
      if (!isWriting) {
        yield [step];
        continue;
      }
      let isCut = false;
      const part = flow.part(step, (records) => {
        isCut ||= left <= 0;
        if (!isCut) left -= records.length;
        return !isCut;
      });
      if (part !== undefined) yield [part];
      if (isCut) return;
    }
  }
}

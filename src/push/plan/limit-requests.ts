import type { PushFlow } from '../steps/push-flow.ts';

/**
 * The requests up to the first write that is one too many. Records that are sent as one stay together, so there may be
 * some more than `most`.
 */
export async function* limitRequests<R, Request>(
  flow: PushFlow<R, Request>,
  requests: AsyncIterable<readonly Request[]>,
  most: number,
): AsyncGenerator<readonly Request[]> {
  let left = most;
  for await (const batch of requests) {
    for (const request of batch) {
      const isWriting = flow.entriesOf(request).some(({ write }) => write !== undefined);
      if (!isWriting) {
        yield [request];
        continue;
      }
      let isCut = false;
      const part = flow.part(request, (records) => {
        isCut ||= left <= 0;
        if (!isCut) left -= records.length;
        return !isCut;
      });
      if (part !== undefined) yield [part];
      if (isCut) return;
    }
  }
}

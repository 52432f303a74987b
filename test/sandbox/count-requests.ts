import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** Counts the requests that a sandbox receives from now on by method and path: `POST /admin/v2/product`. */
export function countRequests(sandbox: Sandbox, wanted: string): () => number {
  let count = 0;
  const answer: Sandbox['answer'] = sandbox.answer.bind(sandbox);
  const counting: Pick<Sandbox, 'answer'> = {
    answer: (request) => {
      if (`${request.method} ${request.path}`.split('?')[0] === wanted) count += 1;
      return answer(request);
    },
  };
  Object.assign(sandbox, counting);
  return () => count;
}

import { describe, expect, it } from 'vitest';
import { type Assumptions, defaultAssumptions } from '../../src/contract/assumptions.ts';
import { documentedOperations, type OperationName, optInOperations } from '../../src/contract/operations.ts';
import { serveHttp } from '../client/loopback.ts';
import { serviceAt } from '../client/service-at.ts';
import { expectedReading, readWireExamples, type WireExample } from './wire-examples.ts';

const optInPaths = Object.fromEntries(
  Object.entries(optInOperations).map(([name, { method, path }]) => [name, `${method} ${path}`]),
);

/** Calls a service that answers with the reply of an example; returns the request and the decoded reply. */
async function callOnce(operation: OperationName, { call, arrayQuery = 'repeat', reply }: WireExample) {
  const { url, seen } = await serveHttp((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  });
  const assumptions: Assumptions = { ...defaultAssumptions, ...optInPaths, arrayQuery };
  const { api } = await serviceAt(url, { token: 'a2V5OnNlY3JldA==', assumptions, retries: 0 });
  return { seen, ...(await api.call(operation, call as never)) };
}

const files = readWireExamples();
const examples = files.flatMap(({ operation, examples }) =>
  examples.map((example) => [operation as OperationName, example.title, example] as const),
);

describe('a server that knows nothing of the project', () => {
  it('is called for each of the 19 operations and the opt-in ones', () => {
    const names = [...Object.keys(documentedOperations), ...Object.keys(optInOperations)];
    expect(files.map(({ operation }) => operation).toSorted()).toEqual(names.toSorted());
  });

  it.each(examples)('gets the bytes of the document from %s: %s', async (operation, _, example) => {
    const { seen, value, sent } = await callOnce(operation, example);
    const { method, path, headers, body = '' } = example.request;
    expect(seen).toMatchObject([{ method, url: path, body }]);
    const { authorization, accept, 'content-type': contentType } = seen[0]?.headers ?? {};
    expect({ authorization, accept, 'content-type': contentType }).toEqual({
      'content-type': undefined,
      ...headers,
    });
    expect(sent).toEqual(example.reply);
    expect(value).toEqual(expectedReading(example));
  });
});

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { seededRandom } from '../../src/base/random.ts';
import { openService } from '../../src/client/open-service.ts';
import { type Assumptions, defaultAssumptions } from '../../src/contract/assumptions.ts';
import { documentedOperations, type OperationName, optInOperations } from '../../src/contract/operations.ts';
import { expectedReading, readWireExamples, type WireExample } from './wire-examples.ts';

/** What came over the socket, as node:http hands it over and no code of the project has touched it. */
interface RawRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const received: RawRequest[] = [];
let nextReply = '';
let baseUrl = '';

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const { method, url, headers } = incoming;
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(nextReply);
  });
});

const optInPaths = Object.fromEntries(
  Object.entries(optInOperations).map(([name, { method, path }]) => [name, `${method} ${path}`]),
);

async function callOnce(operation: OperationName, { call, arrayQuery = 'repeat', reply }: WireExample) {
  const assumptions: Assumptions = { ...defaultAssumptions, ...optInPaths, arrayQuery };
  const service = await openService({
    baseUrl,
    token: 'a2V5OnNlY3JldA==',
    assumptions,
    timeoutMs: 10_000,
    retries: 0,
    clock: systemClock,
    random: seededRandom(1),
  });
  nextReply = JSON.stringify(reply);
  try {
    return await service.api.call(operation, call as never);
  } finally {
    await service.close();
  }
}

const files = readWireExamples();
const examples = files.flatMap(({ operation, examples }) =>
  examples.map((example) => [operation as OperationName, example.title, example] as const),
);

describe('a server that knows nothing of the project', () => {
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('is called for each of the 19 operations and the opt-in ones', () => {
    const names = [...Object.keys(documentedOperations), ...Object.keys(optInOperations)];
    expect(files.map(({ operation }) => operation).toSorted()).toEqual(names.toSorted());
  });

  it.each(examples)('gets the bytes of the document from %s: %s', async (operation, _, example) => {
    received.length = 0;
    const { value, sent } = await callOnce(operation, example);
    const { request } = example;
    expect(received).toHaveLength(1);
    const [{ method, url, headers, body } = {} as RawRequest] = received;
    expect({ method, path: url, body }).toEqual({
      method: request.method,
      path: request.path,
      body: request.body ?? '',
    });
    const { authorization, accept, 'content-type': contentType } = headers;
    expect({ authorization, accept, 'content-type': contentType }).toEqual({
      'content-type': undefined,
      ...request.headers,
    });
    expect(sent).toEqual(example.reply);
    expect(value).toEqual(expectedReading(example));
  });
});

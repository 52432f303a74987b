import { expect, onTestFinished, test } from 'vitest';
import { openService } from '../../src/client/open-service.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { serveHttp } from './loopback.ts';
import { SkippingClock } from './skipping-clock.ts';

test('who watches a service hears of every attempt, retries and lost ones included', async () => {
  const answers = [429, 503, 'reset', 200] as const;
  let count = 0;
  const { url } = await serveHttp((incoming, outgoing) => {
    const answer = answers[count++];
    if (typeof answer === 'number') outgoing.writeHead(answer).end('{"data":[]}');
    else incoming.socket.resetAndDestroy();
  });
  const service = await openService({
    baseUrl: url,
    token: 'dG9rZW4=',
    assumptions: defaultAssumptions,
    timeoutMs: 10_000,
    retries: 4,
    clock: new SkippingClock(),
    random: () => 0,
  });
  onTestFinished(() => service.close());
  const results: (number | string)[] = [];
  service.watch(({ result }) => results.push(result));
  await service.api.call('listProducts', {});
  expect(results).toEqual([429, 503, 'the connection broke before the answer was complete', 200]);
});

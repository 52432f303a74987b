import { expect, it } from 'vitest';
import { type TraceEvent, withTrace } from '../../src/client/trace.ts';
import type { Transport, WireRequest } from '../../src/contract/wire.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';

const request: WireRequest = {
  operation: 'listProducts',
  isRepeatable: true,
  method: 'GET',
  path: '/admin/v2/product',
  headers: {},
  body: undefined,
};

/** A request of 250 ms, during which the clock of the machine is set back by an hour. */
function slowTransport() {
  const clock = new ManualClock();
  const transport: Transport = async () => {
    clock.advance(250);
    clock.setBack(3_600_000);
    return { status: 200, headers: {}, body: '{}' };
  };
  return { clock, transport };
}

it('a trace shows how long a request took, even if the clock of the machine is set back meanwhile', async () => {
  const { clock, transport } = slowTransport();
  const events: TraceEvent[] = [];
  await withTrace(transport, clock, (event) => events.push(event))(request);
  expect(events).toMatchObject([{ tookMs: 250 }]);
});

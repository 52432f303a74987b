import { expect, it } from 'vitest';
import { type TraceEvent, withTrace } from '../../src/client/trace.ts';
import type { Transport } from '../../src/contract/wire.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { replyOf, requestOf } from './scripted-transport.ts';

it('a trace shows how long a request took, even if the clock of the machine is set back meanwhile', async () => {
  const clock = new ManualClock();
  const transport: Transport = async () => {
    clock.advance(250);
    clock.setBack(3_600_000);
    return replyOf(200);
  };
  const events: TraceEvent[] = [];
  await withTrace(transport, clock, (event) => events.push(event)).transport(requestOf('GET'));
  expect(events).toMatchObject([{ tookMs: 250 }]);
});

import { expect, it } from 'vitest';
import { createReceiverMetrics } from '../../src/settle/webhook/receiver-metrics.ts';
import { openReceiver, pathSecret, type ReceiverWorldOptions } from './open-receiver.ts';
import { openSettlement } from './open-settlement.ts';
import { scriptedPayer } from './scripted-payer.ts';

const call = { tookMs: 20, peer: '127.0.0.1', caller: undefined, message: 'paid' };

it('calls are counted by status, and the ledger is reported in its state at the time of reading', async () => {
  const { ledger, settle } = await openSettlement({ reviews: 3 });
  const metrics = createReceiverMetrics(ledger);
  metrics.count({ ...call, status: 200 });
  metrics.count({ ...call, status: 200 });
  metrics.count({ ...call, status: 503 });
  const before = await metrics.read();
  expect(before).toContain('reviewctl_webhook_calls_total{status="200"} 2\n');
  expect(before).toContain('reviewctl_webhook_calls_total{status="422"} 0\n');
  expect(before).toContain('reviewctl_webhook_calls_total{status="503"} 1\n');
  expect(before).toContain('reviewctl_webhook_seconds_bucket{le="0.05"} 3\n');
  expect(before).not.toContain('reviewctl_ledger_rewards{');
  const { outcomes } = await settle();
  const paid = outcomes.filter(({ outcome }) => outcome === 'paid');
  const sum = paid.reduce((total, { amount }) => total + Number(amount), 0);
  const after = await metrics.read();
  expect(after).toContain(`reviewctl_ledger_rewards{payment="paid",report="confirmed"} ${paid.length}\n`);
  expect(after).toContain(`reviewctl_ledger_amount{payment="paid",report="confirmed"} ${sum}\n`);
});

it('two receivers in one process count for themselves', async () => {
  const { ledger } = await openSettlement({ reviews: 1 });
  const [one, other] = [createReceiverMetrics(ledger), createReceiverMetrics(ledger)];
  one.count({ ...call, status: 200 });
  expect(await other.read()).toContain('reviewctl_webhook_calls_total{status="200"} 0\n');
});

it('/metrics is there where it is asked for, for allowed callers alone, and is not logged', async () => {
  const open = (options: Partial<ReceiverWorldOptions>) =>
    openReceiver({ payer: scriptedPayer({}), reviews: 1, ...options });
  const receiver = { metrics: async () => 'reviewctl_up 1\n' };
  const served = await open({ receiver });
  const reply = await fetch(`${served.origin}/metrics`);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await reply.text()).toBe('reviewctl_up 1\n');
  expect(served.answered).toEqual([]);
  const foreign = await open({ receiver, allowed: ['203.0.113.7'] });
  expect((await fetch(`${foreign.origin}/metrics`)).status).toBe(403);
  const without = await open({});
  expect((await fetch(`${without.origin}/metrics`)).status).toBe(404);
  expect(JSON.stringify(without.answered)).not.toContain(pathSecret);
});

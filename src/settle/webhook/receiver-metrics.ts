import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { formatMoney } from '../../base/money.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { AnsweredCall } from './receiver.ts';

const secondsBuckets = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 8, 10];

/** The metrics of a receiver: its calls since the start, and the current state of its ledger. */
export function createReceiverMetrics(ledger: Ledger) {
  const registry = new Registry();
  const registers = [registry];
  const calls = new Counter({
    name: 'reviewctl_webhook_calls_total',
    help: 'Reward webhook calls, by response status.',
    labelNames: ['status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'reviewctl_webhook_seconds',
    help: 'Response time of reward webhook calls, in seconds.',
    buckets: secondsBuckets,
    registers,
  });
  const rewards = new Gauge({
    name: 'reviewctl_ledger_rewards',
    help: 'Rewards in the ledger, by payment state and report state.',
    labelNames: ['payment', 'report'],
    registers,
  });
  const amounts = new Gauge({
    name: 'reviewctl_ledger_amount',
    help: "Amounts in the ledger in the shop's own unit, by payment state and report state.",
    labelNames: ['payment', 'report'],
    registers,
  });
  // A counter created by its first call would hide that call from rate queries.
  for (const status of [200, 422, 503]) calls.inc({ status }, 0);
  return {
    count: ({ status, tookMs }: AnsweredCall) => {
      calls.inc({ status });
      seconds.observe(tookMs / 1000);
    },
    /** The text that Prometheus reads. */
    read: async () => {
      rewards.reset();
      amounts.reset();
      for (const { payment, report, count, amount } of await ledger.sums()) {
        rewards.set({ payment, report }, count);
        amounts.set({ payment, report }, Number(formatMoney(amount)));
      }
      return registry.metrics();
    },
  };
}

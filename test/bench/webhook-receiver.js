import { systemClock } from '../../src/base/clock.ts';
import { systemRandom } from '../../src/base/random.ts';
import { openService } from '../../src/client/open-service.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import { openHttpPayer } from '../../src/payer/http-payer.ts';
import { createRewardService } from '../../src/settle/flow/reward-service.ts';
import { createWebhookAnswers } from '../../src/settle/webhook/answer-webhook.ts';
import { createAllowlist, parseNetwork } from '../../src/settle/webhook/caller-allowlist.ts';
import { serveReceiver } from '../../src/settle/webhook/receiver.ts';
import { openPolicy } from '../settle/open-policy.ts';

/*
 * webhook-receiver.js ADDRESS SECRET CONCURRENCY, bundled: the receiver of `rewards listen` with a ledger in memory
 * only. Prints its address in the same form; ends on a signal.
 */

const [address, pathSecret, concurrency] = process.argv.slice(2);
const run = 'bench';
const stopping = new AbortController();

function forgetfulLedger() {
  const entries = new Map();
  const budget = (scope) => ({ scope, reservedAmount: 0n, reservedCount: 0, spentAmount: 0n, spentCount: 0 });
  let seq = 0;
  return {
    identity: { ledgerId: run, origin: address, shop: run, createdAtMs: 0 },
    find: async (rewardId) => entries.get(rewardId),
    fence: async () => undefined,
    change: async (rewardId, step) => {
      const entry = entries.get(rewardId);
      const nowMs = systemClock.now();
      const decision = step({ entry, nowMs, frozen: undefined, budget, lastEventAtMs: () => undefined });
      if (decision.kind === 'no-change') return { kind: 'kept', entry, reason: decision.reason };
      entries.set(rewardId, decision.entry);
      seq += 1;
      return { kind: 'changed', entry: decision.entry, seq, seal: '' };
    },
  };
}

const { api } = await openService({
  baseUrl: address,
  token: 'bench',
  assumptions: defaultAssumptions,
  timeoutMs: 30_000,
  retries: 4,
  clock: systemClock,
  random: systemRandom,
});
const payer = await openHttpPayer({
  url: new URL(`${address}/pay`),
  headers: {},
  paidStatuses: new Set(),
  timeoutMs: 30_000,
  promises: { idempotentForMs: 86_400_000, replaysResponse: true, lookupDelayMs: 0 },
  env: {},
  lookUp: undefined,
  callRecordsFolder: '',
  secrets: [],
});
const settlement = {
  ledger: forgetfulLedger(),
  payer,
  service: createRewardService(api, { run, now: () => systemClock.now() }),
  policy: openPolicy,
  run,
  beganMs: systemClock.now(),
  isOwnerAlive: async () => true,
  claimLeaseMs: 30_000,
  refusedStatus: 'CANCELLED',
  clock: systemClock,
  random: systemRandom,
  stopping: stopping.signal,
};
const { origin } = await serveReceiver(
  {
    answers: createWebhookAnswers(settlement, { concurrency: Number(concurrency), onTrouble: console.error }),
    allowlist: createAllowlist({ allowed: [parseNetwork('127.0.0.1')], trustedProxies: [] }),
    pathSecret,
    health: async () => undefined,
    onAnswered: (call) => process.stderr.write(`${JSON.stringify({ ...call, time: new Date() })}\n`),
    clock: systemClock,
    stopping: stopping.signal,
  },
  { host: '127.0.0.1', port: 0 },
);
console.log(JSON.stringify({ url: `${origin}/rewards/[redacted]` }));

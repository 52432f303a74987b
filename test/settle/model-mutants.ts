import type { LedgerEntry, Step } from '../../src/store/ledger/ledger.ts';
import { promises } from './model-promises.ts';
import { type Protocol, protocol, wordFor } from './model-protocol.ts';
import { settings } from './model-settings.ts';
import { isDecided, type Setting } from './model-state.ts';

/** The protocol without one of its rules. */
interface Mutant {
  readonly without: string;
  readonly setting: Setting;
  readonly broken: string;
  readonly changes: Partial<Protocol>;
}

function seeing<Kept>(step: Step<Kept>, as: (entry: LedgerEntry) => LedgerEntry): Step<Kept> {
  return (facts) => step({ ...facts, entry: facts.entry === undefined ? undefined : as(facts.entry) });
}

const nothingSpent = (scope: string) => ({
  scope,
  reservedAmount: 0n,
  reservedCount: 0,
  spentAmount: 0n,
  spentCount: 0,
});

/** A claim that treats every payer as idempotent for ever. */
const everKeyed: Protocol['claim'] = (options) => {
  const always = { name: 'payer', idempotentForMs: Number.MAX_SAFE_INTEGER };
  return protocol.claim({ ...options, capabilities: { ...options.capabilities, ...always } });
};

/** The protocol without each rule in turn, and the promise that breaks first. */
export const mutants: readonly Mutant[] = [
  {
    without: 'a claim leaving alone what is under way',
    setting: settings.plainPollers,
    broken: promises.outstanding,
    changes: {
      claim: (options) => (facts) =>
        facts.entry?.payment === 'paying'
          ? seeing(everKeyed(options), (entry) => ({ ...entry, payment: 'unknown' }))(facts)
          : protocol.claim(options)(facts),
    },
  },
  {
    without: 'a lost call being repeated to none but a payer that honours keys',
    setting: settings.plainPollers,
    broken: promises.outstanding,
    changes: { claim: everKeyed },
  },
  {
    without: 'a lost call being repeated only while its key lives',
    setting: settings.forgetting,
    broken: promises.effects,
    changes: { claim: everKeyed },
  },
  {
    without: 'the lease of a repeated call ending with its key',
    setting: settings.longLease,
    broken: promises.effects,
    changes: {
      claim: (options) => (facts) => {
        const decision = protocol.claim(options)(facts);
        if (decision.kind === 'no-change' || decision.entry.call === null) return decision;
        const leaseUntilMs = facts.nowMs + (options.leaseMs ?? 0);
        return { ...decision, entry: { ...decision.entry, call: { ...decision.entry.call, leaseUntilMs } } };
      },
    },
  },
  {
    without: 'the terms of a key staying as they are',
    setting: { ...settings.keyed, changesAmount: true },
    broken: promises.budget,
    changes: {
      claim: (options) =>
        seeing(protocol.claim(options), (entry) =>
          entry.terms === null
            ? entry
            : { ...entry, terms: { ...entry.terms, amount: entry.seen.amount ?? 0n } },
        ),
    },
  },
  {
    without: 'a payment going by a fresh observation',
    setting: settings.changing,
    broken: promises.amount,
    changes: {
      claim: (options) => (facts) =>
        seeing(protocol.claim(options), (entry) => ({
          ...entry,
          seen: { ...entry.seen, atMs: facts.nowMs },
        }))(facts),
    },
  },
  {
    without: 'caps counting what is reserved',
    setting: settings.capped,
    broken: promises.budget,
    changes: {
      claim: (options) => (facts) =>
        protocol.claim({ ...options, caps: options.caps.map((cap) => ({ ...cap, amount: null })) })({
          ...facts,
          budget: nothingSpent,
        }),
    },
  },
  {
    without: 'a repeated call counting for the run that makes it',
    setting: settings.cappedRun,
    broken: promises.run,
    changes: {
      claim: (options) => (facts) => {
        const isRepeated = facts.entry?.payment === 'unknown';
        return protocol.claim(isRepeated ? { ...options, caps: [] } : options)(facts);
      },
    },
  },
  {
    without: 'a repeated call keeping to the cap of its run',
    setting: settings.cappedRun,
    broken: promises.budget,
    changes: {
      claim: (options) => (facts) => {
        if (facts.entry?.payment !== 'unknown') return protocol.claim(options)(facts);
        const caps = options.caps.map((cap) => ({ ...cap, amount: null }));
        return protocol.claim({ ...options, caps })(facts);
      },
    },
  },
  {
    without: 'a repeated call keeping what the first one reserved',
    setting: settings.cappedRun,
    broken: promises.budget,
    changes: {
      claim: (options) => (facts) => {
        const decision = protocol.claim(options)(facts);
        if (decision.kind === 'no-change' || decision.reserve === undefined) return decision;
        return {
          ...decision,
          entry: { ...decision.entry, scopes: decision.reserve.map(({ scope }) => scope) },
        };
      },
    },
  },
  {
    without: 'a frozen ledger refusing claims',
    setting: settings.frozen,
    broken: promises.frozen,
    changes: { claim: (options) => (facts) => protocol.claim(options)({ ...facts, frozen: undefined }) },
  },
  {
    without: 'a claim counting only in the ledger that the mark names',
    setting: settings.copied,
    broken: promises.outstanding,
    changes: { isFenced: () => false },
  },
  {
    without: 'a last look at the claim before the call',
    setting: { ...settings.plainPollers, hasOperator: true },
    broken: promises.key,
    changes: { mayCall: () => true },
  },
  {
    without: 'an answer being noted for its own call alone',
    setting: { ...settings.keyed, hasOperator: true },
    broken: promises.budget,
    changes: {
      answered: (_, answer, capabilities) => (facts) =>
        protocol.answered(facts.entry?.attempt ?? 0, answer, capabilities)(facts),
    },
  },
  {
    without: 'a refusal counting for nothing while an earlier call may have paid',
    setting: settings.keyed,
    broken: promises.cancelled,
    changes: {
      answered: (attempt, answer, capabilities) =>
        protocol.answered(attempt, answer, { ...capabilities, replaysResponse: true }),
    },
  },
  {
    without: 'a repeated refusal waiting until the books had to show a payment',
    setting: settings.refusing,
    broken: promises.cancelled,
    changes: {
      answered: (attempt, answer, capabilities, beganAtMs) =>
        protocol.answered(attempt, answer, { ...capabilities, lookupDelayMs: 0 }, beganAtMs),
    },
  },
  {
    without: 'a repeated refusal counting from when its call began',
    setting: settings.refusing,
    broken: promises.cancelled,
    changes: {
      answered: (attempt, answer, capabilities) => (facts) =>
        protocol.answered(attempt, answer, capabilities, facts.nowMs)(facts),
    },
  },
  {
    without: 'a repeated refusal waiting for the last of several lost calls',
    setting: settings.refusing,
    broken: promises.cancelled,
    changes: {
      answered: (attempt, answer, capabilities, beganAtMs) => (facts) =>
        seeing(protocol.answered(attempt, answer, capabilities, beganAtMs), (entry) =>
          entry.isInDoubt ? { ...entry, lastCallAtMs: entry.firstCallAtMs } : entry,
        )(facts),
    },
  },
  {
    without: "'later' counting for nothing while an earlier call may have paid",
    setting: settings.keyed,
    broken: promises.budget,
    changes: {
      answered: (attempt, answer, capabilities) => {
        const step = protocol.answered(attempt, answer, capabilities);
        const trusting = (entry: LedgerEntry) => ({ ...entry, isInDoubt: false });
        return answer.kind === 'retry' ? seeing(step, trusting) : step;
      },
    },
  },
  {
    without: 'an unanswered call staying in doubt',
    setting: settings.plain,
    broken: promises.budget,
    changes: {
      answered: (attempt, answer, capabilities) =>
        protocol.answered(
          attempt,
          answer.kind === 'ambiguous' ? { kind: 'retry', message: answer.message } : answer,
          capabilities,
        ),
    },
  },
  {
    without: 'an unknown payment keeping its reservation',
    setting: settings.plain,
    broken: promises.budget,
    changes: {
      answered: (attempt, answer, capabilities) => (facts) => {
        const decision = protocol.answered(attempt, answer, capabilities)(facts);
        if (decision.kind === 'no-change' || decision.entry.payment !== 'unknown') return decision;
        return { ...decision, entry: { ...decision.entry, scopes: [] } };
      },
    },
  },
  {
    without: 'recovery never leading back',
    setting: settings.plain,
    broken: promises.budget,
    changes: {
      recover: (attempt, evidence, options) =>
        evidence.kind === 'none'
          ? (protocol.answered(
              attempt,
              { kind: 'retry', message: 'gone' },
              options.capabilities,
            ) as ReturnType<Protocol['recover']>)
          : protocol.recover(attempt, evidence, options),
    },
  },
  {
    without: 'recovery leaving a living owner alone',
    setting: { ...settings.suspended, crashes: 0 },
    broken: promises.trouble,
    changes: {
      recover: (attempt, evidence, options) =>
        protocol.recover(attempt, evidence, { ...options, isOwnerAlive: false }),
    },
  },
  {
    without: 'evidence counting for its own call alone',
    setting: { ...settings.evidence, hasOperator: true, ticks: 0, crashes: 1 },
    broken: promises.cancelled,
    changes: {
      recover: (_, evidence, options) => (facts) =>
        protocol.recover(facts.entry?.attempt ?? 0, evidence, options)(facts),
    },
  },
  {
    without: "'not found' waiting until the payer has been quiet",
    setting: settings.lookup,
    broken: promises.key,
    changes: {
      recordLookup: (attempt, answer, { capabilities, askedAtMs }) =>
        protocol.recordLookup(attempt, answer, {
          capabilities: { ...capabilities, lookupDelayMs: 0 },
          askedAtMs,
        }),
    },
  },
  {
    without: 'a look into the books counting from when it was made',
    setting: settings.lookup,
    broken: promises.key,
    changes: {
      recordLookup: (attempt, answer, options) => (facts) =>
        protocol.recordLookup(attempt, answer, { ...options, askedAtMs: facts.nowMs })(facts),
    },
  },
  {
    without: 'a person waiting while a call is under way',
    setting: { ...settings.keyed, hasOperator: true },
    broken: promises.key,
    changes: {
      resolve: (attempt, finding, capabilities) => (facts) => {
        const step = protocol.resolve(facts.entry?.attempt ?? attempt, finding, {
          ...capabilities,
          idempotentForMs: null,
        });
        return seeing(step, (entry) => (entry.call === null ? entry : { ...entry, call: null }))(facts);
      },
    },
  },
  {
    without: 'a finding counting for the call it was about alone',
    setting: { ...settings.keyed, hasOperator: true, changesAmount: true },
    broken: promises.budget,
    changes: {
      resolve: (_, finding, capabilities) => (facts) =>
        protocol.resolve(facts.entry?.attempt ?? 0, finding, capabilities)(facts),
    },
  },
  {
    without: 'a new key being made only after proof',
    setting: settings.keyed,
    broken: promises.key,
    changes: {
      answered: (attempt, answer, capabilities) => (facts) => {
        const decision = protocol.answered(attempt, answer, capabilities)(facts);
        if (decision.kind === 'no-change' || decision.entry.payment !== 'unknown') return decision;
        return {
          ...decision,
          entry: { ...decision.entry, keyGeneration: decision.entry.keyGeneration + 1, terms: null },
        };
      },
    },
  },
  {
    without: 'the outcome being durable before the service is told',
    setting: settings.plain,
    broken: promises.success,
    changes: { firstAfter: () => 'tell' },
  },
  {
    without: 'nothing being told of what is unknown',
    setting: settings.plain,
    broken: promises.cancelled,
    changes: {
      wordOf: (entry) => (isDecided(entry) || entry.payment === 'unknown' ? wordFor(entry) : undefined),
    },
  },
  {
    without: 'a webhook asking the service',
    setting: settings.plain,
    broken: promises.amount,
    changes: { verified: (carried) => carried },
  },
  {
    without: 'recovery of what a dead process left',
    setting: settings.keyedWebhook,
    broken: promises.settles,
    changes: {
      recover: () => () => ({ kind: 'no-change', reason: { kind: 'under-way', message: 'left alone' } }),
    },
  },
  {
    without: 'telling until the service confirms',
    setting: settings.keyedWebhook,
    broken: promises.told,
    changes: {
      tell: (telling) =>
        protocol.tell(telling.kind === 'sent' ? { kind: 'confirmed', status: telling.status } : telling),
    },
  },
  {
    without: 'a restored ledger opening frozen',
    setting: settings.restored,
    broken: promises.effects,
    changes: { isRestoredFrozen: () => false },
  },
  {
    without: 'a restored ledger being compared before it is unfrozen',
    setting: settings.restored,
    broken: promises.effects,
    changes: { isUnfrozenUncompared: () => true },
  },
  {
    without: 'a ledger opening frozen on another machine',
    setting: settings.movedAway,
    broken: promises.outstanding,
    changes: { isFrozenElsewhere: () => false },
  },
  {
    without: 'an account having one ledger by whatever address',
    setting: settings.otherAddress,
    broken: promises.outstanding,
    changes: { hasOneLedger: () => false },
  },
  {
    without: 'a row of results saying to which payment it belongs',
    setting: settings.batch,
    broken: promises.cancelled,
    changes: { isRowChecked: () => false },
  },
  {
    without: 'what is in doubt having its turn last',
    setting: settings.poisoned,
    broken: promises.settles,
    changes: { turns: (entries) => [...entries.keys()] },
  },
];

import { answered, type ClaimOptions, claim, observe } from '../../src/settle/rules/transitions.ts';
import type {
  Decision,
  EventKind,
  Facts,
  LedgerEntry,
  Observation,
  Step,
} from '../../src/store/ledger/ledger.ts';
import { untouched } from '../../src/store/ledger/ledger-invariants.ts';
import { openPolicy } from './open-policy.ts';

/** The time of the tests: one minute before midnight in Korea. */
export const nowMs = Date.UTC(2026, 0, 1, 14, 59);
export const hourMs = 3_600_000;

export const identity = { origin: 'https://api.example', shop: 'shop' };

/** A payer without idempotency. */
export const plainPayer = {
  name: 'exec pay',
  idempotentForMs: null,
  replaysResponse: false,
  lookupDelayMs: hourMs,
};
/** A payer whose keys are valid for a day. */
export const idempotentPayer = { ...plainPayer, name: 'http pay', idempotentForMs: 24 * hourMs };

export function observation(changes: Partial<Observation> = {}): Observation {
  return {
    atMs: nowMs,
    run: 'run',
    status: 'QUEUED',
    amount: 5_000_000n,
    memberOriginId: 'M1',
    document: '{"id":"R1","amount":500}',
    ...changes,
  };
}

export function claimOptions(changes: Partial<ClaimOptions> = {}): ClaimOptions {
  return {
    identity,
    run: 'run',
    owner: 'run',
    leaseMs: 60_000,
    policy: openPolicy,
    capabilities: plainPayer,
    caps: [{ scope: 'day 2026-01-01', amount: null, count: null }],
    ...changes,
  };
}

export function facts(entry: LedgerEntry | undefined, changes: Partial<Facts> = {}): Facts {
  return { entry, nowMs, frozen: undefined, budget: untouched, lastEventAtMs: () => undefined, ...changes };
}

/** The entry after these steps, each of which must change it. */
export function entryAfter(...steps: readonly Step<unknown>[]): LedgerEntry {
  let entry: LedgerEntry | undefined;
  for (const step of steps) {
    const decision = step(facts(entry));
    if (decision.kind === 'no-change') throw new Error(`kept: ${JSON.stringify(decision.reason)}`);
    entry = decision.entry;
  }
  if (entry === undefined) throw new Error('no steps');
  return entry;
}

/** The effect of a step on an entry, in one line: `intended -> paying (claimed, reserve)`, or why it stays the same. */
export function story(
  step: Step<{ readonly kind: string }>,
  entry: LedgerEntry | undefined,
  changes: Partial<Facts> = {},
): string {
  const decision: Decision<{ readonly kind: string }> = step(facts(entry, changes));
  if (decision.kind === 'no-change') return `kept: ${decision.reason.kind}`;
  const { event, reserve = [] } = decision;
  const what: readonly (EventKind | 'reserve' | undefined)[] = [
    event?.kind,
    reserve.length > 0 ? 'reserve' : undefined,
  ];
  return `${entry?.payment ?? 'none'} -> ${decision.entry.payment} (${what.filter(Boolean).join(', ')})`;
}

/** Each distinct text once, under the names of all cases that have it. */
export function grouped(texts: readonly (readonly [name: string, text: string])[]): string {
  const names = new Map<string, string[]>();
  for (const [name, text] of texts) names.set(text, [...(names.get(text) ?? []), name]);
  return [...names].map(([text, all]) => `  ${all.join('; ')}\n    ${text}\n`).join('');
}

export const seen = entryAfter(observe('R1', observation()));
export const paying = entryAfter(observe('R1', observation()), claim(claimOptions()));
export const unknown = entryAfter(
  observe('R1', observation()),
  claim(claimOptions()),
  answered(1, { kind: 'ambiguous', message: 'time-out' }, plainPayer),
);
/** Its only call was lost; the payer honours its key. */
export const covered: LedgerEntry = { ...unknown, payer: idempotentPayer.name };
export const paid = entryAfter(
  observe('R1', observation()),
  claim(claimOptions()),
  answered(1, { kind: 'paid', ref: 'T1' }, plainPayer),
);
export const refused = entryAfter(
  observe('R1', observation()),
  claim(claimOptions()),
  answered(1, { kind: 'refused', message: 'no such member' }, plainPayer),
);

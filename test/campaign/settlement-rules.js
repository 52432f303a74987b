/*
 * Judges settlements by three logs of observers: no rule here knows anything about the program.
 *
 *   payer     CALL, EFFECT and ANSWER of {key, reward, amount, member, pid, at}; OVERLAP if an earlier call for the
 *             reward is still running
 *   service   PATCH {reward, status} as received; STATUS {reward, status, amount} as changed; ANSWER {reward, status,
 *             message} to a webhook
 *   ledger    EVENT as in the ledger, in order; RUN {exitCode} of a run that was alone, after its last event; BUDGET;
 *             WRONG {message} for every problem that the ledger itself finds, or that keeps it from being opened;
 *             RESTORED {seq, unfrozenSeq} if a backup that ends with this event replaced it, with the last event before
 *             it was unfrozen, if different; then LOST for each later event of the lost ledger; LEFT for each event of
 *             a ledger that was moved away, to which processes may still write
 *
 * The judgement: a payer that `isIdempotent` honours keys, so nothing may stay unknown; with `hasEvidence`, its answers
 * can be read after a kill; with `isClockSteady`, all processes used one clock that never jumped, so times can be
 * compared; with `areMachines`, they do not see each other's payer programs. `killed` are owners, by name or process
 * id; for `poisoned` rewards the payer never answers.
 */

/** The payment states that each event starts from and leads to; `none` is a reward never seen before. */
const legalMoves = {
  seen: [
    'none intended',
    'intended intended',
    'paying paying',
    'unknown unknown',
    'paid paid',
    'refused refused',
  ],
  claimed: ['intended paying', 'unknown paying'],
  unknown: ['paying unknown'],
  paid: ['paying paid', 'unknown paid'],
  refused: ['paying refused', 'unknown refused'],
  released: ['paying intended', 'unknown intended'],
  reported: ['paid paid', 'refused refused'],
  reversed: ['paid paid'],
};
/** Further transitions if a person, or a list of earlier payments, states the outcome. */
const legalFindings = {
  paid: ['none paid', 'intended paid'],
  refused: ['intended refused'],
  released: ['intended intended'],
};
const legalReports = {
  sent: ['pending'],
  confirmed: ['pending', 'sent', 'conflict'],
  conflict: ['pending', 'sent'],
};

const notPaidStatuses = ['CANCELLED', 'FAILURE'];

/** Describes each promise broken in the three logs. */
export function violationsOf(logs, judgement) {
  const { rewards, events, ledger } = byReward(logs);
  return [
    ...ledger.filter(({ what }) => what === 'WRONG').map(({ message }) => `the ledger: ${message}`),
    ...gaps(events),
    ...sharedKeys(events),
    ...budgetViolations(events, ledger, judgement),
    ...runViolations(ledger, rewards),
    ...rewards.flatMap((reward) =>
      rewardRules.flatMap((rule) => rule(reward, judgement).map((words) => `reward ${reward.id}: ${words}`)),
    ),
  ];
}

function byReward({ payer, service, ledger }) {
  const events = ledger.filter(({ what }) => what === 'EVENT');
  const history = ledger.filter(({ what }) => what === 'EVENT' || what === 'LOST');
  const restored = ledger.find(({ what }) => what === 'RESTORED');
  const unfrozenSeq = restored?.unfrozenSeq ?? restored?.seq ?? 0;
  const names = [...payer, ...service]
    .map(({ reward }) => reward)
    .concat(history.map(({ rewardId }) => rewardId));
  const rewards = [...new Set(names)].map((id) => ({
    id,
    calls: payer.filter(({ what, reward }) => what === 'CALL' && reward === id),
    effects: payer.filter(({ what, reward }) => what === 'EFFECT' && reward === id),
    answers: payer.filter(({ what, reward }) => what === 'ANSWER' && reward === id),
    overlaps: payer.filter(({ what, reward }) => what === 'OVERLAP' && reward === id),
    service: service.filter(({ reward }) => reward === id),
    events: events.filter(({ rewardId }) => rewardId === id),
    history: history.filter(({ rewardId }) => rewardId === id),
    left: ledger.filter(({ what, rewardId }) => what === 'LEFT' && rewardId === id),
    claims: history.filter(({ kind, rewardId }) => kind === 'claimed' && rewardId === id),
    unfrozenSeq,
  }));
  return { rewards, events, ledger };
}

/** Each promise about one reward, as a function that finds its violations. */
const rewardRules = [
  paidTwice,
  unlawfulHistory,
  changedKey,
  callsWithoutIntent,
  overlappingCalls,
  successWithoutPayment,
  cancelledWithPayment,
  differentAmounts,
  differentAnswers,
  needlessDoubt,
];

function isFinding(detail) {
  return detail?.evidence !== undefined;
}

function paidTwice({ effects }) {
  return effects.length > 1 ? [`its money moved ${effects.length} times`] : [];
}

function unlawfulHistory({ events }) {
  let before = { payment: 'none', report: 'pending', attempt: 0 };
  return events.flatMap((event) => {
    const { seq, kind, payment, report, attempt, detail } = event;
    const from = before;
    before = event;
    const isToldWell =
      kind === 'reported' ? legalReports[report]?.includes(from.report) : report === from.report;
    const moves = [...(legalMoves[kind] ?? []), ...((isFinding(detail) && legalFindings[kind]) || [])];
    return [
      ...(moves.includes(`${from.payment} ${payment}`)
        ? []
        : [`event ${seq}, ${kind}, leads from ${from.payment} to ${payment}`]),
      ...(isToldWell ? [] : [`event ${seq}, ${kind}, leads the report from ${from.report} to ${report}`]),
      ...(attempt === from.attempt + (kind === 'claimed' ? 1 : 0)
        ? []
        : [`event ${seq}, ${kind}, leads from attempt ${from.attempt} to ${attempt}`]),
    ];
  });
}

/**
 * A key changes only if the payment under the last one was proven not to have happened, and never with an idempotent
 * payer.
 */
function changedKey({ events, calls, claims }, { isIdempotent }) {
  let key;
  let isProvenUnpaid = true;
  const changes = events.flatMap(({ seq, kind, payment, detail }) => {
    if (kind !== 'claimed') {
      isProvenUnpaid ||= payment === 'intended' && kind !== 'seen';
      return [];
    }
    const isAllowed = key === undefined || key === detail.key || (isProvenUnpaid && !isIdempotent);
    key = detail.key;
    isProvenUnpaid = false;
    return isAllowed ? [] : [`event ${seq} claims it under another key than before`];
  });
  const known = new Set(claims.map(({ detail }) => detail.key));
  const strange = calls.filter((call) => !known.has(call.key));
  return [
    ...changes,
    ...strange.map((call) => `the payer was called with key ${call.key}, which no claim names`),
  ];
}

/** The n-th call under a key belongs to the n-th earlier claim under it, with the same amount and member. */
function callsWithoutIntent({ calls, effects, claims }, { isClockSteady }) {
  const seen = new Map();
  return [
    ...calls.flatMap(({ key, amount, member, at }) => {
      const number = seen.get(key) ?? 0;
      seen.set(key, number + 1);
      const claim = claims.filter(({ detail }) => detail.key === key)[number];
      if (claim === undefined) return [`call ${number + 1} with key ${key} has no claim in the ledger`];
      const isSame = minor(claim.detail.amount) === minor(amount) && claim.detail.memberOriginId === member;
      const isLater = isClockSteady && claim.atMs > at;
      return [
        ...(isSame
          ? []
          : [
              `the payer was told ${amount} to ${member}, the claim says ${claim.detail.amount} to ${claim.detail.memberOriginId}`,
            ]),
        ...(isLater ? [`the payer was called ${claim.atMs - at} ms before the claim`] : []),
      ];
    }),
    ...effects
      .filter(({ key }) => !seen.has(key))
      .map(({ key }) => `money moved under key ${key}, with which the payer was never called`),
  ];
}

/** A machine does not see the payer programs left by another one; an idempotent payer does. */
function overlappingCalls({ overlaps, calls }, { isIdempotent, areMachines }) {
  const isSameKey = ({ key, beside }) => calls.some((call) => call.pid === beside && call.key === key);
  return overlaps
    .filter((overlap) => !(areMachines && isIdempotent && isSameKey(overlap)))
    .map(({ beside }) => `the payer was called while the call of process ${beside} was under way`);
}

function successWithoutPayment({ service, effects, history, left }, { isClockSteady }) {
  const told = service.find(
    ({ what, status }) =>
      (what === 'PATCH' && status === 'SUCCESS') || (what === 'ANSWER' && isSuccess(status)),
  );
  if (told === undefined) return [];
  const paid = history.find(({ payment }) => payment === 'paid');
  const isAdopted = isFinding(paid?.detail);
  return [
    ...(effects.length > 0 || isAdopted ? [] : ['the service was told SUCCESS, and no money moved']),
    ...(paid === undefined
      ? ['the service was told SUCCESS, and the ledger does not know it to be paid']
      : []),
    ...(isClockSteady && paid !== undefined && firstPaidMs([...history, ...left]) > told.at
      ? ['the service was told SUCCESS before the ledger knew it to be paid']
      : []),
  ];
}

function firstPaidMs(events) {
  return Math.min(...events.filter(({ payment }) => payment === 'paid').map(({ atMs }) => atMs));
}

function cancelledWithPayment({ service, effects, history }) {
  const isTold = service.some(
    ({ what, status }) =>
      (what === 'PATCH' && notPaidStatuses.includes(status)) || (what === 'ANSWER' && status === 422),
  );
  if (!isTold) return [];
  // A refusal lost with a ledger is in no statement, and a service that still waits is paid.
  const isForgotten = history.some(({ what, payment }) => what === 'LOST' && payment === 'refused');
  return [
    ...(effects.length === 0 || isForgotten
      ? []
      : ['the service was told that it was not paid, and its money moved']),
    ...(history.some(({ payment }) => payment === 'refused')
      ? []
      : ['the service was told that it was not paid, and the ledger does not know it to be refused']),
  ];
}

function differentAmounts({ service, effects, claims }) {
  const shown = service.findLast(({ what }) => what === 'STATUS')?.amount;
  return effects.flatMap(({ key, amount }) => {
    const claimed = claims.find(({ detail }) => detail.key === key)?.detail.amount;
    const amounts = [amount, claimed, shown].filter((known) => known !== undefined);
    return new Set(amounts.map(minor)).size === 1
      ? []
      : [`paid ${amount}, claimed ${claimed ?? 'nothing'}, and the service says ${shown}`];
  });
}

/**
 * A caller once told the outcome of a reward must get the same answer again, or be told to wait: an unreadable or
 * frozen ledger decides nothing. An outcome known only to a lost ledger is decided anew.
 */
function differentAnswers({ service, history }) {
  const isForgotten = history.some(
    ({ what, payment }) => what === 'LOST' && ['paid', 'refused'].includes(payment),
  );
  if (isForgotten) return [];
  const given = service.filter(({ what, status }) => what === 'ANSWER' && status !== null);
  const first = given.findIndex(({ status }) => status === 422 || isSuccess(status));
  const decided = given.slice(Math.max(first, 0)).filter((answer) => !isToWait(answer));
  return first !== -1 && new Set(decided.map(({ status }) => status)).size > 1
    ? [`copies of one webhook were answered ${given.map(inWords).join(', ')}`]
    : [];
}

/** The answer does not state the outcome of the reward. */
function isToWait({ status, message }) {
  return status === 503 && message?.endsWith('its outcome will be reported');
}

function inWords({ status, message }) {
  return message === undefined ? `${status}` : `${status} "${message}"`;
}

/**
 * An outcome may be unknown, at the end or until a person's finding, only because of a kill, a backup or a payer
 * without an answer. With an idempotent payer, only if the service no longer waits for it, since another call might pay
 * a reward that nobody requests any more.
 */
function needlessDoubt(
  { id, events, calls, answers, claims, service, unfrozenSeq },
  { isIdempotent, hasEvidence, killed, poisoned = [] },
) {
  const claimedUntil = (seq) => events.findLast((event) => event.kind === 'claimed' && event.seq <= seq);
  const doubts = events.filter(({ seq, payment }, index) => {
    const next = events[index + 1];
    const isOpen = next === undefined || isFinding(next.detail);
    const isExcused = poisoned.includes(id) || (claimedUntil(seq)?.seq ?? 0) <= unfrozenSeq;
    return ['unknown', 'paying'].includes(payment) && isOpen && !isExcused;
  });
  const last = events.at(-1)?.payment;
  const paidKey = answers.find(({ outcome }) => outcome === 'paid')?.key;
  return [
    ...(hasEvidence && paidKey !== undefined && last !== 'paid'
      ? [`the payer said that it has paid, and the ledger says ${last}`]
      : []),
    ...doubts.flatMap(({ seq, payment }) => {
      if (isIdempotent && isNotQueued(service)) return [];
      if (isIdempotent) return [`event ${seq} left it ${payment}, though the payer honours keys`];
      const { key } = claims.findLast((claim) => claim.seq <= seq)?.detail ?? {};
      const isOrphaned = claims.some(({ detail }) => detail.key === key && isKilled(detail.owner, killed));
      const isUnanswered =
        answers.filter((answer) => answer.key === key).length <
        calls.filter((call) => call.key === key).length;
      return isOrphaned || isUnanswered
        ? []
        : [`event ${seq} left it ${payment}, though no call under its key was lost`];
    }),
  ];
}

function isKilled(owner, killed) {
  return killed.some((name) => owner === `${name}` || owner.includes(`-${name}-`));
}

function isSuccess(status) {
  return typeof status === 'number' && status >= 200 && status < 300;
}

function gaps(events) {
  const wrong = events.findIndex(({ seq }, index) => seq !== index + 1);
  return wrong === -1 ? [] : [`the event after ${wrong} is numbered ${events[wrong].seq}`];
}

function sharedKeys(events) {
  const owners = new Map();
  return events.flatMap(({ kind, rewardId, detail }) => {
    if (kind !== 'claimed') return [];
    const owner = owners.get(detail.key) ?? rewardId;
    owners.set(detail.key, owner);
    return owner === rewardId ? [] : [`the rewards ${owner} and ${rewardId} share the key ${detail.key}`];
  });
}

/** A run that ends with 0 leaves nothing open: every seen reward is settled and confirmed, or held by policy. */
function runViolations(ledger, rewards) {
  const last = new Map();
  const isGone = new Map(rewards.map(({ id, service }) => [id, isNotQueued(service)]));
  return ledger.flatMap((line) => {
    if (line.what === 'EVENT') {
      const seen = line.kind === 'seen' ? line.detail : last.get(line.rewardId)?.seen;
      last.set(line.rewardId, { ...line, seen });
    }
    if (line.what !== 'RUN' || line.exitCode !== 0) return [];
    return [...last.values()]
      .filter((event) => isLeftOpen(event, isGone.get(event.rewardId)))
      .map(
        ({ rewardId, payment, report }) =>
          `a run ended with 0, and reward ${rewardId} is ${payment} and ${report}`,
      );
  });
}

function isNotQueued(service) {
  const status = service.findLast(({ what }) => what === 'STATUS')?.status;
  return status !== undefined && status !== 'QUEUED';
}

function isLeftOpen({ payment, report, seen }, isGone) {
  if (payment === 'paid' || payment === 'refused') return report !== 'confirmed';
  if (payment !== 'intended') return true;
  return !isGone && seen?.memberOriginId !== null && minor(seen?.amount ?? '0') > 0n;
}

/** Sums the amounts that the events reserve, spend and free, and checks the caps at every event. */
function budgetViolations(events, ledger, judgement) {
  const budgets = new Map();
  const held = new Map();
  const violations = [];
  const pays = new Map();
  for (const event of events) {
    const { rewardId, kind, payment } = event;
    const before = pays.get(rewardId);
    pays.set(rewardId, payment);
    if (kind === 'claimed') {
      const amount = minor(event.detail.amount);
      const known = held.get(rewardId)?.scopes ?? [];
      const scopes = before === 'intended' ? scopesOf(event) : repeatedScopes(event, known);
      held.set(rewardId, { amount, scopes: [...known, ...scopes] });
      for (const scope of scopes) move(budgets, scope, amount, 0n);
      violations.push(...exceeded(budgets, scopes, { seq: event.seq, judgement }));
    } else if (
      payment !== before &&
      ['paid', 'refused', 'intended'].includes(payment) &&
      held.has(rewardId)
    ) {
      const { amount, scopes } = held.get(rewardId);
      held.delete(rewardId);
      for (const scope of scopes) move(budgets, scope, -amount, payment === 'paid' ? amount : 0n);
    }
  }
  return [...violations, ...differentBudgets(budgets, ledger)];
}

const koreanOffsetMs = 9 * 60 * 60 * 1000;

function scopesOf({ atMs, by, detail }) {
  const day = new Date(atMs + koreanOffsetMs).toISOString().slice(0, 10);
  return [`run ${by}`, `day ${day}`, `member ${day} ${detail.memberOriginId}`, ...planScopes(detail)];
}

/** A repeated call is one payment, of its first day; but a run, and a plan, counts every reward that it calls for. */
function repeatedScopes({ by, detail }, known) {
  return [`run ${by}`, ...planScopes(detail)].filter((scope) => !known.includes(scope));
}

function planScopes({ plan }) {
  return plan === undefined ? [] : [`plan ${plan}`];
}

function move(budgets, scope, reserved, spent) {
  const budget = budgets.get(scope) ?? { reserved: 0n, spent: 0n };
  budgets.set(scope, { reserved: budget.reserved + reserved, spent: budget.spent + spent });
}

function exceeded(budgets, scopes, { seq, judgement: { maxPerRun, maxPerDay, maxPerMember } }) {
  const caps = { run: maxPerRun, day: maxPerDay, member: maxPerMember };
  return scopes.flatMap((scope) => {
    const cap = caps[scope.split(' ')[0]];
    const { reserved, spent } = budgets.get(scope);
    return cap !== undefined && reserved + spent > minor(cap)
      ? [`event ${seq} goes beyond the cap of ${scope}, ${cap}`]
      : [];
  });
}

function differentBudgets(budgets, ledger) {
  const told = new Map(ledger.filter(({ what }) => what === 'BUDGET').map((line) => [line.scope, line]));
  return [...new Set([...budgets.keys(), ...told.keys()])].flatMap((scope) => {
    const { reserved = 0n, spent = 0n } = budgets.get(scope) ?? {};
    const { reservedAmount = '0', spentAmount = '0' } = told.get(scope) ?? {};
    return minor(reservedAmount) === reserved && minor(spentAmount) === spent
      ? []
      : [`the budget of ${scope} is not what the events add up to`];
  });
}

/** An amount as an exact integer of ten-thousandths. */
function minor(amount) {
  const [whole, fraction = ''] = String(amount).split('.');
  return BigInt(whole + fraction.padEnd(4, '0'));
}

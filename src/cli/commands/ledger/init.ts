import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { jsonMoney, type MoneyTotal } from '../../../base/money.ts';
import { nextRunId } from '../../../base/run-id.ts';
import { shellWord } from '../../../base/shell-word.ts';
import type { Cell } from '../../../input/records/cell.ts';
import type { Progress } from '../../../output/terminal/progress.ts';
import { counted, grouped, groupedMoney } from '../../../output/terminal/totals.ts';
import { newLedgerView } from '../../../output/views/reward-views.ts';
import type { RewardService } from '../../../settle/flow/reward-service.ts';
import {
  importPaid,
  type OpeningScan,
  scanOpening,
  unfinishedImport,
} from '../../../settle/manual/import-paid.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import type { ExpectedLedger, LedgerStore } from '../../../store/ledger/ledger-store.ts';
import { openLedgerStore } from '../../../store/open-store.ts';
import { switchFlag, textFlag } from '../../flags/flags.ts';
import { ledgerFlags } from '../../flags/settle-flags.ts';
import { askFlags, connectionFlags, outputFlags, progressFlags } from '../../flags/shared-flags.ts';
import { isConfirmed } from '../../runtime/ask.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { printRecord } from '../../runtime/print.ts';
import { readingProgress } from '../../runtime/reading-progress.ts';
import { standardInput } from '../../runtime/standard-input.ts';
import { readIdFile } from '../../templates/batch/read-id-file.ts';
import { type FoundLedger, findLedger, useRewards } from '../../templates/settle/settlement-session.ts';
import { checkFirstLedger } from './check-first-ledger.ts';

const flags = {
  alreadyPaid: textFlag('FILE|-', 'ids of rewards that an earlier procedure paid'),
  replaceLost: switchFlag('replace a ledger that is lost for good'),
  ...ledgerFlags,
  ...outputFlags,
  ...connectionFlags,
  ...askFlags,
  ...progressFlags,
};

type InitInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  flags,
  examples: ['reviewctl ledger init', 'reviewctl ledger init --already-paid paid-by-hand.txt'],
  exitCodes: [3, 4, 5, 9, 12],
  run: async (invocation) => {
    const { context, flags, sources } = invocation;
    const { clock } = context;
    const paidIds = await readPaidIds(invocation);
    const place = await findLedger(invocation);
    const { origin } = place;
    const shop = flags.shop ?? sources.profile.name;
    const expected = { origin, shop, isAnyDisk: flags.ledgerAnywhere, clock };
    const made: NewLedger = { place, store: await openLedgerStore(place), expected, paidIds };
    // Refuses another ledger before anything is asked or read; `makeLedger` looks again.
    await isBegun(made);
    await confirmReplacement(invocation, paidIds);
    const run = nextRunId(clock.now());
    const progress = readingProgress(invocation);
    const { service, account } = await useRewards(invocation, run, progress);
    const making = async () => {
      const opening = await scanOpening(service, paidIds);
      checkFound(opening, flags.alreadyPaid);
      const first = { isReplacement: flags.replaceLost, account, rewards: opening.firstQueued };
      await checkFirstLedger(invocation, place, first);
      if (paidIds.length === 0) await warnOfPast(invocation, service, opening);
      await makeLedger(invocation, made, { account, run, opening, progress });
      return opening;
    };
    const opening = await making().finally(() => progress.done());
    await report(invocation, { ledger: place.path, shop, origin }, opening);
  },
});

/** A ledger to create: its location, its identity, and the rewards that were paid before. */
interface NewLedger {
  readonly place: FoundLedger;
  readonly store: LedgerStore;
  readonly expected: ExpectedLedger & { readonly shop: string };
  readonly paidIds: readonly string[];
}

/** The ids of `--already-paid`, without duplicates. */
async function readPaidIds(invocation: InitInvocation): Promise<readonly string[]> {
  const { alreadyPaid } = invocation.flags;
  if (alreadyPaid === undefined) return [];
  const { stopping, stdin } = invocation.context;
  const source = alreadyPaid === '-' ? standardInput(invocation, 'the ids of paid rewards') : stdin;
  const ids = await readIdFile(alreadyPaid, ['rewardId', 'id'], { stdin: source, stopping }, checkPaid);
  return [...new Set(ids)];
}

/** @throws Failure('input') for a record that was not paid. */
function checkPaid(outcome: Cell, at: string): void {
  const word = typeof outcome === 'string' ? outcome.trim() : '';
  if (word.toLowerCase() === 'paid') return;
  throw new Failure(
    'input',
    `${at}: the outcome ${word === '' ? 'is blank' : `'${word}' is not 'paid'`}; no ledger was created`,
    'remove the records that were not paid, or the column if all were paid; then run the same command again',
  );
}

/**
 * True if an `init` with the same list left the ledger unfinished; false if there is none.
 * @throws Failure('ledger') if there is another.
 */
async function isBegun({ place: { path }, store, expected, paidIds }: NewLedger): Promise<boolean> {
  if (!(await store.exists())) return false;
  const { ledger } = await store.openAny(expected);
  const { unfinishedImport: begun } = await ledger.meta();
  await ledger.close();
  if (begun === unfinishedImport(paidIds).list) return true;
  const file = shellWord(path);
  if (begun !== null) {
    throw new Failure(
      'ledger',
      `${path} was started with another list of paid rewards and is incomplete; nothing was changed`,
      hint`pass the same list with --already-paid; or start over, because it has paid nothing: rm ${file}, then
        ${reviewctl`ledger init --replace-lost --already-paid FILE`}`,
    );
  }
  throw new Failure(
    'ledger',
    `a ledger already exists at ${path}; nothing was changed`,
    hint`to inspect it: ${reviewctl`ledger status`}; to pay from it: ${reviewctl`rewards settle --dry-run`}`,
  );
}

/** @throws Failure('usage') if the answer is no, or there is no terminal to ask. */
async function confirmReplacement(invocation: InitInvocation, paidIds: readonly string[]): Promise<void> {
  const { flags, notices } = invocation;
  if (!flags.replaceLost) return;
  if (paidIds.length === 0) {
    notices.warning(
      'rewards that are still QUEUED and were paid only according to the lost ledger will be paid again',
      'ask the payer which rewards it has paid, and list them with --already-paid FILE',
    );
  }
  if (await isConfirmed('Replace the lost ledger with a new one?', invocation)) return;
  throw new Failure('usage', 'cancelled; no ledger was created', 'to create it: answer y, or add --yes');
}

/** Maximum ids listed in a message. */
const namedMaximum = 20;

/** @throws Failure('input') if the service does not show a reward of the list. */
function checkFound({ missing }: OpeningScan, file = ''): void {
  if (missing.length === 0) return;
  const named = missing.slice(0, namedMaximum).join(', ');
  const rest = missing.length > namedMaximum ? ` and ${missing.length - namedMaximum} more` : '';
  throw new Failure(
    'input',
    `${file}: the service shows no reward ${named}${rest}; no ledger was created`,
    hint`correct or remove these lines; ids are those listed by ${reviewctl`rewards list -o ids`}`,
    { file },
  );
}

/**
 * Warns about rewards that no record on this machine can distinguish: one that was paid but not reported looks like one
 * that waits. An empty list of paid ones may come from an export that failed.
 */
async function warnOfPast(
  { flags, notices }: InitInvocation,
  service: RewardService,
  { queued }: OpeningScan,
): Promise<void> {
  if (flags.replaceLost || queued.count === 0) return;
  for await (const page of service.all('SUCCESS')) {
    if (page.length === 0) return;
    notices.warning(
      'the service shows rewards that are already SUCCESS, but this machine has no record of their payments: any ' +
        `of the ${grouped(queued.count)} that are QUEUED now may be paid but not reported`,
      hint`before the first run, ask the payer which of them it paid, and record those with
        ${reviewctl`ledger resolve IDS --paid --ref R`}`,
    );
    return;
  }
}

interface Making {
  readonly account: string;
  readonly run: string;
  readonly opening: OpeningScan;
  readonly progress: Progress;
}

/** Creates the ledger, frozen until it contains every reward that was paid before. Continues an unfinished one. */
async function makeLedger(
  invocation: InitInvocation,
  made: NewLedger,
  { account, run, opening, progress }: Making,
): Promise<void> {
  const { store, expected, paidIds } = made;
  const { context, flags, argv } = invocation;
  const { replaceLost: isReplacement } = flags;
  // While a person answered or the service was read, the state may have been moved, or another process may have created
  // a ledger whose paid rewards are other ones.
  await findLedger(invocation);
  if (!(await isBegun(made))) {
    await store.create({ ...expected, account, isReplacement, unfinishedImport: unfinishedImport(paidIds) });
  }
  const ledger = await openCreated(store, expected, isReplacement);
  try {
    await ledger.addAccount(account);
    await ledger.beginRun({ run, command: argv.slice(0, 2).join(' '), atMs: context.clock.now() });
    const total = opening.found.length;
    await importPaid(ledger, opening.found, run, (done) =>
      progress.update({ label: 'importing paid rewards', done, total }),
    );
    await ledger.unfreeze();
  } finally {
    await ledger.close();
  }
}

/**
 * Opens the ledger that was just created, or an incomplete one of a killed run that has not yet replaced the lost one.
 */
async function openCreated(
  store: LedgerStore,
  expected: ExpectedLedger,
  isReplacement: boolean,
): Promise<Ledger> {
  const { ledger, standing } = await store.openAny(expected);
  if (standing.kind === 'current') return ledger;
  try {
    if (!isReplacement || standing.kind !== 'other') throw standing.failure;
    await store.move(ledger, { clock: expected.clock });
  } finally {
    await ledger.close();
  }
  return store.open(expected);
}

async function report(
  invocation: InitInvocation,
  about: { readonly ledger: string; readonly shop: string; readonly origin: string },
  { queued, found }: OpeningScan,
): Promise<void> {
  const { notices } = invocation;
  const { ledger, shop, origin } = about;
  const sum = ({ count, amount }: MoneyTotal) => `${counted(count, 'reward')} (${groupedMoney(amount)})`;
  const record = {
    ...about,
    queued: { count: queued.count, amount: jsonMoney(queued.amount) },
    imported: { count: found.length },
  };
  await printRecord(invocation, newLedgerView, record, [
    `ledger    ${ledger}`,
    `shop      ${shop} at ${origin}`,
    `queued    ${sum(queued)}`,
    ...(found.length === 0 ? [] : [`imported  ${counted(found.length, 'reward')} as paid`]),
  ]);
  const taken = found.length === 0 ? '' : `; ${counted(found.length, 'reward')} imported as paid`;
  notices.summary(`created the ledger of the shop '${shop}'; QUEUED now: ${sum(queued)}${taken}`);
  notices.info(hint`next, preview the payments: ${reviewctl`rewards settle --dry-run`}`);
}

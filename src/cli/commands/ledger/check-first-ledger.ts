import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { shellWord } from '../../../base/shell-word.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { counted } from '../../../output/terminal/totals.ts';
import type { ObservedReward } from '../../../settle/flow/reward-service.ts';
import { countKnown } from '../../../settle/manual/import-paid.ts';
import { areOfOneAccount, type HighWaterMark } from '../../../store/ledger/high-water-mark.ts';
import type { Ledger } from '../../../store/ledger/ledger.ts';
import { completeCommand } from '../../../store/ledger/ledger-failure.ts';
import { markedLocation } from '../../../store/ledger/ledger-location.ts';
import type { LedgerOptions, LedgerStore } from '../../../store/ledger/ledger-store.ts';
import { openLedgerStore } from '../../../store/open-store.ts';
import { isPostgresUrl, placeFlag, placeText } from '../../../store/sql/postgres-address.ts';
import type { Invocation } from '../../runtime/command.ts';
import type { FoundLedger } from '../../templates/settle/settlement-session.ts';

/** The facts by which a new ledger is checked. */
interface FirstLedger {
  readonly account: string;
  /** Some of the rewards that wait. */
  readonly rewards: readonly ObservedReward[];
  /** True if a person says that the previous ledger of the account is lost for good. */
  readonly isReplacement: boolean;
}

/**
 * Checks that no known ledger conflicts with a new one at this location. A missing ledger of another account causes a
 * warning.
 * @throws Failure('ledger') if the account has a ledger that is not lost, or if a ledger under another address or
 * credential contains waiting rewards.
 */
export async function checkFirstLedger(
  { context, notices }: Invocation,
  place: FoundLedger,
  { account, rewards, isReplacement }: FirstLedger,
): Promise<void> {
  const { origin } = place;
  const store = await openLedgerStore(place);
  // An `init` that did not finish started it, unless another process has just created it; `init` refuses that later.
  if (await store.exists()) return;
  const subject = { origin, accounts: [account] };
  if (!isReplacement) await store.checkNoneInUse(subject);
  const marks = await store.marks();
  for (const mark of marks.filter(({ isRetired }) => !isRetired)) {
    const ledger = await openMarked(await openLedgerStore(markedLocation(mark, place)), mark, context);
    if (ledger === 'missing' || ledger === undefined) {
      const isMissing = ledger === 'missing' && mark.origin === origin;
      if (!isReplacement && isMissing) warnOfMissing(notices, mark);
      continue;
    }
    const known = await countKnown(ledger, rewards);
    await ledger.close();
    if (areOfOneAccount(mark, subject)) throw notLost(mark);
    if (known > 0) throw knownElsewhere(mark, origin, { known, of: rewards.length });
  }
}

/** Opens the ledger of a mark; undefined if it cannot be opened, or was replaced by another. */
async function openMarked(
  store: LedgerStore,
  { ledgerId }: HighWaterMark,
  options: LedgerOptions,
): Promise<Ledger | 'missing' | undefined> {
  try {
    if (!(await store.exists())) return 'missing';
    const ledger = await store.openUnjudged({ ...options, isOnlyRead: true });
    if (ledger.identity.ledgerId === ledgerId) return ledger;
    await ledger.close();
  } catch (error) {
    // A server that refuses is treated like a disk that fails.
    if (!(error instanceof Failure) || error.kind === 'locked') throw error;
  }
  return undefined;
}

function notLost({ path }: HighWaterMark): Failure {
  const named = placeText(path);
  const renamed = isPostgresUrl(path)
    ? 'rename its schema first (ALTER SCHEMA … RENAME TO …)'
    : `rename it first: mv ${shellWord(path)} ${shellWord(`${path}.old`)}`;
  return new Failure(
    'ledger',
    `the ledger of this account is not lost: it is at ${path}; no ledger was created`,
    `use it with ${named}; to abandon it, and pay again every reward that only it records as paid, ${renamed}`,
  );
}

function knownElsewhere(
  mark: HighWaterMark,
  origin: string,
  { known, of }: { readonly known: number; readonly of: number },
): Failure {
  const knows = `the ledger at ${mark.path} contains ${known} of the first ${counted(of, 'reward')} that wait here`;
  return mark.origin === origin
    ? new Failure(
        'ledger',
        `${knows}; it belongs to the credential of another account; no ledger was created`,
        hint`if this is a new credential of the same shop:
          ${reviewctl`login --same-shop ${placeFlag(mark.path)}`}; then use that ledger with
          ${placeText(mark.path)}`,
      )
    : new Failure(
        'ledger',
        `${knows} from ${mark.origin}; no ledger was created`,
        hint`if this is the same service under another address: ${completeCommand(mark.path, origin)}`,
      );
}

/** Only a person knows whether it belongs to the same shop. */
function warnOfMissing(notices: Notices, { path }: HighWaterMark): void {
  notices.warning(
    `the ledger of another account of this service is missing: ${path}`,
    'if that account belongs to the same shop, rewards that only that ledger records as paid would be paid ' +
      'again: before the first run, restore it from a backup and name it with the setting ledger',
  );
}

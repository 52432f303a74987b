import { Failure } from '../../base/failure.ts';
import { hint, reviewctl } from '../../base/hint.ts';

/**
 * Whose records a state keeps. One service serves many shops, and what one has sent says nothing of another: with its
 * journal the orders of a second shop would be skipped unsent.
 */
export interface AccountNote {
  /** Undefined where no account is on record yet. */
  read(): Promise<string | undefined>;
  /**
   * Records the account, once the service has accepted its credential. Survives a loss of power once it resolves.
   * @throws Failure('unwritable-path') where it cannot; then the state keeps what it kept.
   */
  keep(account: string): Promise<void>;
}

/** @throws Failure('config') if the state belongs to another account. */
export async function checkAccount(note: AccountNote, account: string): Promise<void> {
  const kept = await note.read();
  if (kept !== undefined && kept !== account) {
    throw new Failure(
      'config',
      'records were sent to this service from here with the credential of another account',
      hint`for a new credential of the same shop: ${reviewctl`login --same-shop`}; for another shop (or a sandbox
        started anew) use a profile of its own: ${reviewctl`login --profile NAME`}. A new profile has an empty
        journal: used for the same shop, it would send every record again`,
    );
  }
}

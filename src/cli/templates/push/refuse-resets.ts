import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { areResetsSeen } from '../../../store/state/folder-notes.ts';

/** The kinds of records that a push updates. */
const updatedKinds: readonly string[] = ['products', 'order-items'];

/**
 * Refuses updates for a service that was seen to reset omitted fields, until the setting `defaultsOnUpdate` decides:
 * each run would damage one more record before it stops.
 * @throws Failure('config') with both values of the setting.
 */
export function refuseResets(folder: string, kind: string, assume: readonly string[]): void {
  const isSet = assume.some((setting) => setting.startsWith('defaultsOnUpdate='));
  if (isSet || !updatedKinds.includes(kind) || !areResetsSeen(folder)) return;
  throw new Failure(
    'config',
    'this service resets what an update leaves out, as an earlier reply showed; nothing was sent',
    hint`to send along what an update would leave out: ${reviewctl`config set defaults-on-update apply`}; if the
      service was corrected since: ${reviewctl`config set defaults-on-update keep`}`,
  );
}

import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { serviceUrl } from '../../../client/open-service.ts';
import { findFolders, stateFolderPath } from '../../../config/folders.ts';
import { readLearned } from '../../../store/profile/learned-assumptions.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { requireBaseUrl } from '../../runtime/session.ts';

/** The kinds of records that a push updates. */
const updatedKinds: readonly string[] = ['products', 'order-items'];

/**
 * Refuses updates for a service that was seen to reset what an update leaves out, until the setting `defaultsOnUpdate`
 * says what to do: each run would damage one more record before it stops.
 * @throws Failure('config') with both values of the setting.
 */
export function refuseResets({ context, flags, sources }: Invocation<SendingFlags>, kind: string): void {
  const isSet = flags.assume.some((setting) => setting.startsWith('defaultsOnUpdate='));
  if (isSet || !updatedKinds.includes(kind)) return;
  const address = serviceUrl(requireBaseUrl(flags.baseUrl));
  const learned = readLearned(stateFolderPath(findFolders(context.env), sources.profile.name, address));
  const seen = learned.get('defaultsOnUpdate');
  if (seen?.verdict !== 'refuted' || seen.shown !== 'apply') return;
  const setting = (value: string) => [...flags.assume, `defaultsOnUpdate=${value}`];
  throw new Failure(
    'config',
    `this service resets what an update leaves out, as its reply of ${seen.at} showed; nothing was sent`,
    hint`to send along what an update would leave out: ${reviewctl`config set assume ${setting('apply')}`}; if the
      service was corrected since: ${reviewctl`config set assume ${setting('keep')}`}`,
  );
}

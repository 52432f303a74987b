import { Failure } from '../../../base/failure.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { serviceUrl } from '../../../client/open-service.ts';
import { findFolders } from '../../../config/folders.ts';
import { readConfig, saveSettings, settingsOf } from '../../../config/profiles.ts';
import { findSetting } from '../../../config/setting-sources.ts';
import type { Tally } from '../../../push/steps/outcome.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { serviceAddress } from '../../runtime/session.ts';

type KeepingPush = Invocation<SendingFlags>;

/**
 * Stores the product key in the profile, once the service has accepted records with it: later pushes of products,
 * orders and order items use the same key. A key that is already set is kept, and the profile of another service is not
 * changed.
 */
export async function keepProductKey(
  productKey: string | undefined,
  tally: Tally,
  invocation: KeepingPush,
): Promise<void> {
  if (productKey === undefined || !hasAccepted(tally)) return;
  const { context, notices, sources } = invocation;
  const folders = findFolders(context.env);
  const { name } = sources.profile;
  try {
    // Read again: another push may have stored a key meanwhile.
    const settings = settingsOf(readConfig(folders), name) ?? {};
    const profile = { name, settings };
    const set = findSetting({ ...sources, flags: {}, overrides: {}, profile }, 'productKey');
    if (set !== undefined || isOfOtherService(settings['base-url'], invocation)) return;
    await saveSettings(folders, name, { 'product-key': productKey });
    notices.info(`stored in profile ${name}: ${productKey} identifies products (product-key)`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The records are accepted even if the settings cannot be written.
    const hint = `pass it with every push of products and orders: -c product-key=${shellWord(productKey)}`;
    notices.warning(`product-key was not stored: ${error.message}`, hint);
  }
}

function hasAccepted({ created, updated, unchanged, queued, skipped }: Tally): boolean {
  return created + updated + unchanged + queued + skipped > 0;
}

function isOfOtherService(address: unknown, { flags }: KeepingPush): boolean {
  return typeof address === 'string' && serviceUrl(address).href !== serviceAddress(flags).href;
}

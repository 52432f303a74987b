import { resolve } from 'node:path';
import { serviceUrl } from '../../../client/open-service.ts';
import { findFolders, stateFolderPath } from '../../../config/folders.ts';
import { thisHost } from '../../../store/ledger/this-place.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { requireBaseUrl } from '../../runtime/session.ts';

/** Where the journal is that a push is decided by; host is null on a machine without an id. */
export interface PlanState {
  readonly folder: string;
  readonly host: string | null;
}

/** The place of the journal of this push. @throws Failure('config') without the address of a service. */
export function stateOf({
  context,
  flags,
  sources,
}: Pick<Invocation<SendingFlags>, 'context' | 'flags' | 'sources'>): PlanState {
  const address = serviceUrl(requireBaseUrl(flags.baseUrl));
  const folder = stateFolderPath(findFolders(context.env), sources.profile.name, address);
  return { folder: resolve(context.cwd, folder), host: thisHost() };
}

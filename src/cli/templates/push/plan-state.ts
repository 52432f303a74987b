import { resolve } from 'node:path';
import { thisHost } from '../../../store/ledger/this-place.ts';
import type { SendingFlags } from '../../flags/push-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { findState } from '../../runtime/find-state.ts';

/** Where the journal is that a push is decided by; host is null on a machine without an id, and for a database. */
export interface PlanState {
  /** The folder, or the address of the database. */
  readonly folder: string;
  readonly host: string | null;
}

/** The place of the journal of this push. @throws as `findState`. */
export async function stateOf(invocation: Invocation<SendingFlags>): Promise<PlanState> {
  const state = await findState(invocation);
  if (state.kind === 'postgres') return { folder: state.path, host: null };
  return { folder: resolve(invocation.context.cwd, state.folder), host: thisHost() };
}

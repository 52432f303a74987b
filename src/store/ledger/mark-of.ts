import type { HighWaterMark } from './high-water-mark.ts';
import type { Ledger } from './ledger.ts';

/** The mark of a ledger that is in use at `path`, at its last event. */
export async function markOf(
  ledger: Ledger,
  { path, inode, nowMs }: { readonly path: string; readonly inode: string | null; readonly nowMs: number },
): Promise<HighWaterMark> {
  const { epoch, accounts } = await ledger.meta();
  return {
    ...ledger.identity,
    ...(await ledger.lastEvent()),
    epoch,
    accounts,
    path,
    inode,
    movedAtMs: nowMs,
    isRetired: false,
  };
}

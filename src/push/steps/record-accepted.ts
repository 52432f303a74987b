import type { Acceptance, JournaledKind, PushJournal } from '../../store/journal/push-journal.ts';

/**
 * Records in the journal what the service accepted in a repeatable request, or what a lookup found there; durable once
 * this resolves.
 * @throws Failure('unreadable-path') where the journal fails.
 */
export async function recordAccepted(
  journal: Pick<PushJournal, 'begin' | 'end'>,
  kind: JournaledKind,
  ...accepted: readonly Acceptance[]
): Promise<void> {
  const request = await journal.begin(kind, []);
  await journal.end(kind, request, { accepted });
}

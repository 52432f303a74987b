import type { Acceptance, JournaledKind, PushJournal } from '../../store/journal/push-journal.ts';

/**
 * Keeps in the journal what the service took in a request that may be repeated, or was found to have; when this resolves, it is remembered.
 * @throws Failure('unreadable-path') where the journal fails.
 */
export async function remember(
  journal: Pick<PushJournal, 'begin' | 'end'>,
  kind: JournaledKind,
  ...accepted: readonly Acceptance[]
): Promise<void> {
  const request = await journal.begin(kind, []);
  await journal.end(kind, request, { accepted });
}

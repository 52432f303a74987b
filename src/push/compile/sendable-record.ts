import type { JournalEntry } from '../../store/journal/push-journal.ts';
import type { RecordPlace } from '../steps/outcome.ts';

/** A record to be sent: its place in the input, its journal entry, and its text in the request. */
export interface SendableRecord extends RecordPlace, JournalEntry {
  readonly text: string;
}

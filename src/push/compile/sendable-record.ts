import type { JournalEntry } from '../../store/journal/push-journal.ts';
import type { RecordPlace } from '../steps/outcome.ts';

/** A record to be sent, with the hash of what is sent of it. */
export interface JournaledRecord extends RecordPlace, JournalEntry {}

/** A record to be sent, with the text that is sent of it. */
export interface SendableRecord extends JournaledRecord {
  readonly text: string;
}

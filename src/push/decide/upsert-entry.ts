import type { HintText } from '../../base/hint.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Entry } from '../../input/records/record-kinds.ts';
import type { Acceptance } from '../../store/journal/push-journal.ts';
import {
  type Named,
  type OutcomeWord,
  outcomeOf,
  type PlanEntry,
  type PushOutcome,
  placeOf,
} from '../steps/outcome.ts';

/** What is written of a record that the service may have already: all of it, or the fields that differ. */
export type UpsertWrite =
  | { readonly kind: 'create'; readonly body: JsonObject }
  | {
      readonly kind: 'update';
      readonly id: string;
      readonly body: JsonObject;
      /** The product group to put it into, by a name that is looked up once more when it is sent. */
      readonly groupName?: string;
      /** The hash of the content that it comes from, for the journal. */
      readonly hash?: string;
      /** Of an item that the service does not show: the hash of what it was sent last. */
      readonly replaces?: string;
    };

/** A record with what is to be done with it. */
export interface UpsertEntry extends PlanEntry {
  readonly write?: UpsertWrite;
  /** The record as the service shows it. */
  readonly before?: unknown;
  /** Of an order item: the service's id of its order, where that is known. */
  readonly orderId?: string | undefined;
  /** What the journal is to know of it before anything is sent. */
  readonly learned?: Acceptance;
}

/** A record of which nothing is written, or of which the write is to be added. */
export function decided(
  entry: Entry<Named>,
  word: OutcomeWord,
  details: Pick<PushOutcome, 'id' | 'changes' | 'comparedWith' | 'error'> = {},
): UpsertEntry {
  return { outcome: outcomeOf(placeOf(entry), word, details) };
}

export function rejected(entry: Entry<Named>, error: HintText): UpsertEntry {
  return decided(entry, 'rejected', { error });
}

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

/** The write of a record that the service may already have: the whole record, or the fields that differ. */
export type UpsertWrite =
  | { readonly kind: 'create'; readonly body: JsonObject }
  | {
      readonly kind: 'update';
      readonly id: string;
      readonly body: JsonObject;
      /** The product group to move it to, by a name that is looked up again when it is sent. */
      readonly groupName?: string;
      /** The hash of the original content, for the journal. */
      readonly hash?: string;
      /** The hash of the last sent content, if the service does not show the item. */
      readonly replaces?: string;
    };

/** A record with its decision. */
export interface UpsertEntry extends PlanEntry {
  readonly write?: UpsertWrite;
  /** The record at the service. */
  readonly before?: unknown;
  /** The service's id of an item's order, if known. */
  readonly orderId?: string | undefined;
  /** The acceptance to journal before anything is sent. */
  readonly learned?: Acceptance;
}

/** The entry of a record that needs no write, or to which the write is added. */
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

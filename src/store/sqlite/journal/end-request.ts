import type { Database } from '../../../base/sqlite.ts';
import type { JournalEntry, JournaledKind, RequestEnd, RequestId } from '../../journal/push-journal.ts';
import { type Answer, AnswerChanges } from './answers.ts';
import { packEntries } from './entry-codec.ts';
import { kindCodes, stateCodes } from './enum-codes.ts';
import { clearFate, type Fates, maskOf, packFates, stateMask } from './fate-codec.ts';
import { type PlacedEnd, placeEnd } from './place-end.ts';
import { positionIn, type Records } from './records.ts';

/** A request as it was begun. */
export interface BegunRequest {
  readonly kind: JournaledKind;
  readonly request: RequestId;
  readonly entries: readonly JournalEntry[];
}

/**
 * Puts the end of a request on record, in a transaction; returns the number of the answer, undefined where nothing is
 * known of any entry.
 */
export type EndRequest = (begun: BegunRequest, end: RequestEnd) => number | undefined;

export function createEnd(database: Database, records: Records): EndRequest {
  const deleteRequest = database.prepare('DELETE FROM request WHERE id = ?');
  const updateEntries = database.prepare('UPDATE request SET entries = ? WHERE id = ?');
  const insertAnswer = database.prepare('INSERT INTO answer (id, request, mask, fates) VALUES (?, ?, ?, ?)');

  return ({ kind, request, entries: begun }, end) => {
    const placed = placeEnd(begun, end);
    const { entries, fates } = placed;
    if ((stateMask(fates.states) & ~maskOf(stateCodes.none)) === 0) {
      deleteRequest.run(request);
      return undefined;
    }
    if (entries !== begun) updateEntries.run(packEntries(kind, entries), request);
    const id = records.index.through + 1;
    supersede(records, kind, id, placed);
    insertAnswer.run(id, request, stateMask(fates.states), packFates(fates));
    return id;
  };
}

/**
 * Enters what is placed in the index as the answer `id`, and takes away what earlier requests knew of the same records.
 */
function supersede(records: Records, kind: JournaledKind, id: number, { entries, fates }: PlacedEnd): void {
  const earlier = new AnswerChanges(records.answers);
  const ofRequest = kindCodes[kind];
  for (let position = 0; position < entries.length; position += 1) {
    const entry = entries[position];
    if (entry === undefined || fates.states[position] === stateCodes.none) continue;
    const code = entry.kind === undefined ? ofRequest : kindCodes[entry.kind];
    const hash = records.hash(code, entry.originId);
    for (const other of records.index.find(hash)) {
      if (other === id) clearRepeated(entries, fates, position);
      else clearIn(records.answers.get(other), code, entry.originId, earlier);
    }
    records.index.add(hash, id);
  }
  earlier.write();
}

function clearIn(answer: Answer | undefined, code: number, originId: string, earlier: AnswerChanges): void {
  const position = answer === undefined ? -1 : positionIn(answer, code, originId);
  if (answer !== undefined && position >= 0) clearFate(earlier.fatesOf(answer), position);
}

/** Of a record that one request names several times, its last entry decides. */
function clearRepeated(entries: readonly JournalEntry[], fates: Fates, last: number): void {
  for (let position = 0; position < last; position += 1) {
    const [one, other] = [entries[position], entries[last]];
    if (one?.originId === other?.originId && one?.kind === other?.kind) clearFate(fates, position);
  }
}

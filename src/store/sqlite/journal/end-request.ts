import type { Database } from '../../../base/sqlite.ts';
import { positionIn } from '../../journal/packed/answer.ts';
import { AnswerChanges } from '../../journal/packed/answer-changes.ts';
import { packEntries } from '../../journal/packed/entry-codec.ts';
import { kindCodes, stateCodes } from '../../journal/packed/enum-codes.ts';
import { maskOf, packFates, stateMask } from '../../journal/packed/fate-codec.ts';
import type { BegunRequest } from '../../journal/packed/open-request.ts';
import { clearRepeated, type PlacedEnd, placeEnd } from '../../journal/packed/place-end.ts';
import type { JournaledKind, RequestEnd } from '../../journal/push-journal.ts';
import type { Records } from './records.ts';

/** A request that is under way in this process. */
export type SentRequest = Omit<BegunRequest, 'run'>;

/**
 * Puts the end of a request on record, in a transaction; returns the number of the answer, undefined where nothing is
 * known of any entry.
 */
export type EndRequest = (begun: SentRequest, end: RequestEnd) => number | undefined;

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
  const earlier = new AnswerChanges();
  const ofRequest = kindCodes[kind];
  for (let position = 0; position < entries.length; position += 1) {
    const entry = entries[position];
    if (entry === undefined || fates.states[position] === stateCodes.none) continue;
    const code = entry.kind === undefined ? ofRequest : kindCodes[entry.kind];
    const hash = records.hash(code, entry.originId);
    for (const other of records.index.find(hash)) {
      if (other === id) clearRepeated(entries, fates, position);
      else {
        const answer = records.answers.get(other);
        const found = answer === undefined ? -1 : positionIn(answer, code, entry.originId);
        if (answer !== undefined && found >= 0) earlier.clear({ answer, position: found });
      }
    }
    records.index.add(hash, id);
  }
  records.answers.write(earlier);
}

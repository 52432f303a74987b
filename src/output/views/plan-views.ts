import type { Json, JsonObject } from '../../base/json.ts';
import type { View } from './view.ts';
import { attentionOfPlanned, changesInWords } from './views.ts';

/** A record of a planned push. */
export const plannedRecordView: View = {
  noun: 'planned record',
  id: 'originId',
  csvColumns: ['file', 'line', 'originId', 'outcome', 'id', 'changes', 'sends', 'error'],
  columns: [
    { header: 'line', path: 'line', kind: 'number' },
    { header: 'origin id', path: 'originId', kind: 'word' },
    { header: 'planned', path: 'outcome', kind: 'word' },
    { header: 'changes', path: 'changes', kind: 'note', inWords: changesOfUpdate },
    { header: 'sends', path: 'sends', kind: 'text', isOptional: true },
    { header: 'error', path: 'error', kind: 'note' },
    { header: 'file', path: 'file', kind: 'text', isOptional: true },
  ],
  attention: attentionOfPlanned,
};

/** A creation changes nothing: its content is what it sends. */
function changesOfUpdate(changes: Json | undefined, { outcome }: JsonObject): string {
  return outcome === 'updated' ? changesInWords(changes) : '';
}

/** A payment of a planned settlement. */
export const plannedPaymentView: View = {
  noun: 'planned payment',
  id: 'rewardId',
  csvColumns: ['rewardId', 'amount', 'memberOriginId', 'order.id', 'order.originId', 'key', 'attempt'],
  columns: [
    { header: 'reward', path: 'rewardId', kind: 'word' },
    { header: 'amount', path: 'amount', kind: 'amount' },
    { header: 'member', path: 'memberOriginId', kind: 'word' },
    { header: 'order', path: 'order.originId', kind: 'word', isOptional: true },
    { header: 'attempt', path: 'attempt', kind: 'number', isOptional: true },
  ],
};

import type { Json, JsonObject } from '../../base/json.ts';
import { amount, note, number, optional, text, type View, word } from './view.ts';
import { attentionOfPlanned, changesInWords } from './views.ts';

/** A record of a planned push. */
export const plannedRecordView: View = {
  noun: 'planned record',
  id: 'originId',
  csvColumns: ['file', 'line', 'originId', 'outcome', 'id', 'changes', 'sends', 'error'],
  columns: [
    number('line'),
    word('origin id', 'originId'),
    word('planned', 'outcome'),
    note('changes', 'changes', { inWords: changesOfUpdate }),
    text('sends', 'sends', optional),
    note('error'),
    text('file', 'file', optional),
  ],
  attention: attentionOfPlanned,
};

/** A creation has no changes: it sends all of its content. */
function changesOfUpdate(changes: Json | undefined, { outcome }: JsonObject): string {
  return outcome === 'updated' ? changesInWords(changes) : '';
}

/** A payment of a planned settlement. */
export const plannedPaymentView: View = {
  noun: 'planned payment',
  id: 'rewardId',
  csvColumns: ['rewardId', 'amount', 'memberOriginId', 'order.id', 'order.originId', 'key', 'attempt'],
  columns: [
    word('reward', 'rewardId'),
    amount('amount'),
    word('member', 'memberOriginId'),
    word('order', 'order.originId', optional),
    number('attempt', 'attempt', optional),
  ],
};

/**
 * SQL for a reward that was paid before another one, and with the same receipt. The parameters are the receipt and the
 * id of the other reward. Receipts are indexed by their beginning, since a long one fits in no index. Of the rewards
 * with this receipt, only those paid at the same time are passed over, so a payer that gives every payment the same
 * receipt costs nothing more.
 */
export function sameReceiptSql(
  schema: string,
  [ref, rewardId]: readonly [ref: string, rewardId: string],
): string {
  return `SELECT reward.reward_id FROM ${schema}reward AS reward
    WHERE substr(reward.ref, 1, 200) = substr(${ref}, 1, 200) AND reward.ref = ${ref}
      AND reward.reward_id <> ${rewardId}
      AND (SELECT min(seq) FROM ${schema}event AS event
           WHERE event.reward_id = reward.reward_id AND event.payment = 'paid')
        < (SELECT max(seq) FROM ${schema}event AS event
           WHERE event.reward_id = ${rewardId} AND event.kind = 'paid')
    LIMIT 1`;
}

import { type HintText, hint, joinHints, reviewctl } from '../../../base/hint.ts';
import type { Assumptions } from '../../../contract/assumptions.ts';
import { unsentFields } from '../../../push/flows/orders.ts';
import type { UnsentWarning } from '../../templates/push/push-kind.ts';

/**
 * Warns of `fields` that a push of orders omits under these assumptions, and names a way to send them. Fields of an
 * order are sent only with its creation (assumption `createOrders`), so the warning comes before the first push. Fields
 * of an item can follow later (API 4.13).
 */
export function warnOfUnsent(
  fields: readonly string[],
  assumptions: Pick<Assumptions, 'createOrders' | 'bulkExtraFields'>,
): UnsentWarning | undefined {
  const { ofOrders, ofItems } = unsentFields(fields, assumptions);
  if (ofOrders.length + ofItems.length === 0) return undefined;
  const hints: HintText[] = [];
  if (ofOrders.length > 0) {
    const loss = ofOrders.includes('memberOriginId') ? ' (orders without a member earn no rewards)' : '';
    hints.push(
      hint`${ofOrders.join(', ')}: later pushes cannot add them, only ${reviewctl`orders update`}, one order at a
        time${loss}; if your service creates whole orders, push with --assume 'createOrders=POST
        /admin/v2/orders/bulk' from the start`,
    );
  }
  if (ofItems.length > 0) {
    hints.push(
      hint`${ofItems.join(', ')}: later with ${reviewctl`order-items push`}, or now with --send-extra-fields if your
        service accepts them`,
    );
  }
  const unsent = [...ofItems, ...ofOrders];
  const message = `not sent, because the operation does not document them: ${unsent.join(', ')}`;
  return { fields: unsent, message, hint: joinHints(hints, '\n') };
}

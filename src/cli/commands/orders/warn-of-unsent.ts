import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import type { Assumptions } from '../../../contract/assumptions.ts';
import { unsentFields } from '../../../push/flows/orders.ts';
import type { UnsentWarning } from '../../templates/push/push-kind.ts';
import { assumeFlags, settingWord, withFlag } from '../../templates/push/typed-command.ts';

type KnownOperations = Pick<Assumptions, 'createOrders' | 'bulkExtraFields'>;

/** The setting for a service with an operation for whole orders. */
const wholeOrders = 'create-orders=POST /admin/v2/orders/bulk';

/**
 * Warns of `fields` that a push of orders omits under these assumptions. Fields of items can follow later (API 4.13),
 * and the warning names a way to send them; fields of an order are sent only with its creation (assumption
 * `createOrders`).
 */
export function warnOfUnsent(
  fields: readonly string[],
  assumptions: KnownOperations,
): UnsentWarning | undefined {
  const { ofOrders, ofItems } = unsentFields(fields, assumptions);
  if (ofOrders.length + ofItems.length === 0) return undefined;
  const unsent = [...ofItems, ...ofOrders];
  const message = `not sent, because the operation does not document them: ${unsent.join(', ')}`;
  return {
    fields: unsent,
    message,
    ...(ofOrders.length === 0 ? {} : { choice: choiceAbout(ofOrders) }),
    ...(ofItems.length === 0
      ? {}
      : {
          hint: hint`${ofItems.join(', ')}: later with ${reviewctl`order-items push`}, or now with
            -c bulk-extra-fields=taken if your service accepts them`,
        }),
  };
}

/**
 * Refuses to omit `fields` of orders without consent, because no later push can add them.
 * @returns Failure('input'), with both commands to choose from; `argv` is the typed command, and `assume` the effective
 * settings, which a typed flag would replace.
 */
export function refuseLoss(
  fields: readonly string[],
  assumptions: KnownOperations,
  { argv, assume }: { readonly argv: readonly string[]; readonly assume: readonly string[] },
): Failure | undefined {
  const { ofOrders } = unsentFields(fields, assumptions);
  if (ofOrders.length === 0) return undefined;
  const { reason, setting, flag } = choiceAbout(ofOrders);
  const kept = assume.filter((one) => !argv.includes(settingWord(one)));
  return new Failure(
    'input',
    `${reason}; nothing was sent`,
    `choose one of these commands, the first if your service creates whole orders:
${withFlag(argv, assumeFlags([...kept, setting]))}
${withFlag(argv, flag)}`,
  );
}

function choiceAbout(ofOrders: readonly string[]): NonNullable<UnsentWarning['choice']> {
  const loss = ofOrders.includes('memberOriginId') ? ', and orders without a member earn no rewards' : '';
  return {
    reason: `${ofOrders.join(', ')}: sent only with whole orders, and no later push can add them${loss}`,
    setting: wholeOrders,
    flag: '--without-order-fields',
  };
}

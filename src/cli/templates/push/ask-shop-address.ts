import { Failure } from '../../../base/failure.ts';
import type { Inspection } from '../../../input/inspect.ts';
import { askLine, canAsk } from '../../runtime/ask.ts';
import type { Context } from '../../runtime/command.ts';
import { isPlaceholder } from './input-options.ts';

/**
 * Asks at the terminal for the address of the shop, if images are paths and no setting has it. Undefined without a
 * terminal, or for an empty answer.
 * @throws Failure('usage') for an invalid address.
 */
export async function askShopAddress(
  { proposals }: Pick<Inspection<unknown>, 'proposals'>,
  { noInput }: { readonly noInput: boolean },
  context: Pick<Context, 'stdin' | 'streams' | 'stopping'>,
): Promise<string | undefined> {
  const isOpen = proposals.some(({ flag, value }) => flag === '-c image-base-url' && isPlaceholder(value));
  if (!isOpen || noInput || !canAsk(context)) return undefined;
  const question = 'Images are relative paths. Address of your shop (Enter to skip):';
  const typed = await askLine(question, context);
  if (typed === '') return undefined;
  const address = /^https?:/i.test(typed) ? typed : `https://${typed}`;
  if (URL.canParse(address) && !isPlaceholder(address)) return address;
  const hint =
    'enter it as a browser shows it, such as https://shop.example.com, or use the setting image-base-url';
  throw new Failure('usage', `'${typed}' is not the address of a shop`, hint);
}

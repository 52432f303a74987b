import type { JsonObject } from '../../../base/json.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { integerValue, valueFlag } from '../../flags/flags.ts';
import { connectionFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { withService } from '../../runtime/session.ts';
import { controlRecord, controlRequest } from './control-request.ts';

const count = integerValue(0, 100_000).default(0);

export const sandboxSeed = defineCommand({
  flags: {
    products: valueFlag(count, { value: 'N', help: 'number of products to add' }),
    orders: valueFlag(count, { value: 'N', help: 'number of orders to add' }),
    reviews: valueFlag(count, { value: 'N', help: 'number of reviews to add' }),
    ...connectionFlags,
  },
  examples: ['reviewctl sandbox seed --products 50 --orders 200 --reviews 500'],
  exitCodes: [4, 5],
  run: (invocation) =>
    withService(invocation, async (service) => {
      const { products, orders, reviews } = invocation.flags;
      const sizes = await controlRequest(service, {
        name: 'seed',
        reply: controlRecord,
        body: { products, orders, reviews },
      });
      invocation.notices.summary(`the sandbox now has ${sizesInWords(sizes)}`);
      return 0;
    }),
});

function sizesInWords(sizes: JsonObject): string {
  return (['product', 'order', 'review', 'reward'] as const)
    .map((noun) => counted(Number(sizes[`${noun}s`] ?? 0), noun))
    .join(', ');
}

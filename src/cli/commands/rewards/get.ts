import { Failure } from '../../../base/failure.ts';
import type { JsonObject } from '../../../base/json.ts';
import { paginate } from '../../../client/paginate.ts';
import { grouped } from '../../../output/terminal/totals.ts';
import { rewardView } from '../../../output/views/views.ts';
import { connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { printRecord } from '../../runtime/print.ts';
import { type Session, useService } from '../../runtime/session.ts';
import { findHint, originIdIn, pathArgument } from '../../templates/record/path-arguments.ts';
import { callOnce } from '../../templates/record/perform-operation.ts';

const flags = { ...outputFlags, ...connectionFlags };

export const command = defineCommand({
  argument: pathArgument('rewardId'),
  flags,
  examples: [
    'reviewctl rewards get 99',
    "reviewctl rewards get 99 -c 'get-reward=GET /admin/v2/reward/{rewardId}'",
  ],
  exitCodes: [4, 5, 6],
  run: async (invocation) => {
    const { args, context } = invocation;
    const [rewardId = ''] = args;
    originIdIn('rewardId', rewardId);
    const service = await useService(invocation);
    const call = { name: 'getReward', params: { rewardId } } as const;
    const reward = service.api.supports('getReward')
      ? (await callOnce(service, call, context.stopping)).sent
      : await findReward(rewardId, service, invocation);
    await printRecord(invocation, rewardView, reward as JsonObject);
  },
});

/**
 * Searches the list of rewards, because the document shows no operation that fetches one (API 4).
 * @throws Failure('not-found') if the list does not contain it.
 */
async function findReward(
  rewardId: string,
  { api }: Session,
  { context, notices }: Invocation<typeof flags>,
): Promise<JsonObject> {
  notices.info(
    "searching all rewards, because the API document shows no operation to fetch one (-c 'get-reward=…' sets one)",
  );
  let seen = 0;
  for await (const { records, sent } of paginate(api, 'listRewards', {}, { signal: context.stopping })) {
    const index = records.findIndex(({ id }) => id === rewardId);
    if (index >= 0) return sent[index] as JsonObject;
    seen += records.length;
  }
  throw new Failure(
    'not-found',
    `no reward, of ${grouped(seen)}, has the id '${rewardId}'`,
    findHint('rewardId', rewardId),
    { operation: 'listRewards' },
  );
}

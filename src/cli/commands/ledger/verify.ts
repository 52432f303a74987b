import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { ledgerProblemView } from '../../../output/views/reward-views.ts';
import { restoreHint } from '../../../store/ledger/ledger-failure.ts';
import { outputFlags, progressFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { readingProgress } from '../../runtime/reading-progress.ts';
import { writeAndDrain } from '../../runtime/write-and-drain.ts';
import { lookAtLedger, offlineFlags } from './offline-ledger.ts';

export const ledgerVerify = defineCommand({
  flags: { ...outputFlags, ...offlineFlags, ...progressFlags },
  examples: ['reviewctl ledger verify'],
  exitCodes: [4, 5, 9, 12],
  run: (invocation) =>
    lookAtLedger(invocation, async (ledger, { path }) => {
      const { context, flags, notices } = invocation;
      const progress = readingProgress(invocation);
      const total = await ledger.lastSeq();
      const onChecked = (done: number) => {
        context.stopping.throwIfAborted();
        progress.update({ label: 'checking events', done, total });
      };
      let count = 0;
      async function* problems(): AsyncGenerator<readonly JsonObject[]> {
        for await (const problem of ledger.verify(onChecked)) {
          count += 1;
          yield [{ problem }];
        }
      }
      const options = { ...flags, format: flags.output };
      await writeAndDrain(problems(), ledgerProblemView, options, {
        streams: context.streams,
        stop: () => undefined,
      }).finally(() => progress.done());
      if (count === 0) {
        notices.summary(`${path} is intact: ${counted(total, 'event')}`);
        return 0;
      }
      notices.warning(
        `${path} has ${counted(count, 'problem')}; pay nothing from it`,
        hint`${reviewctl`ledger freeze --reason damaged`}; then ${restoreHint(path)}`,
      );
      return 12;
    }),
});

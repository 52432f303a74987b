import { hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { counted } from '../../../output/terminal/totals.ts';
import { ledgerProblemView } from '../../../output/views/reward-views.ts';
import { restoreHint } from '../../../store/ledger/ledger-failure.ts';
import { outputFlags, progressFlags } from '../../flags/shared-flags.ts';
import { defineCommand } from '../../runtime/command.ts';
import { printAll } from '../../runtime/print.ts';
import { readingProgress } from '../../runtime/reading-progress.ts';
import { ledgerExitCodes, offlineFlags, useLedger } from './offline-ledger.ts';

export const command = defineCommand({
  flags: { ...outputFlags, ...offlineFlags, ...progressFlags },
  examples: ['reviewctl ledger verify'],
  exitCodes: ledgerExitCodes,
  run: async (invocation) => {
    const {
      ledger,
      place: { path },
    } = await useLedger(invocation);
    const { context, notices } = invocation;
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
    const work = { stop: () => undefined };
    await printAll(invocation, ledgerProblemView, problems(), work).finally(() => progress.done());
    if (count === 0) {
      notices.summary(`${path} is intact: ${counted(total, 'event')}`);
      return 0;
    }
    notices.warning(
      `${path} has ${counted(count, 'problem')}; pay nothing from it`,
      hint`${reviewctl`ledger freeze --reason damaged`}; then ${restoreHint(path)}`,
    );
    return 12;
  },
});

import { resolve } from 'node:path';
import type { JsonObject } from '../../../base/json.ts';
import { timeInWords } from '../../../base/korean-time.ts';
import type { Streams } from '../../../output/terminal/streams.ts';
import { asPlanned, counted, countsInWords } from '../../../output/terminal/totals.ts';
import { textOf } from '../../../output/views/fields.ts';
import { plannedPaymentView, plannedRecordView } from '../../../output/views/plan-views.ts';
import { openPlanFile, type PlanFile } from '../../../store/plans/open-plan-file.ts';
import { outputFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { printList } from '../../runtime/print.ts';
import {
  plannedRecord,
  readPlanLines,
  readPushSubject,
  readPushTotals,
} from '../../templates/push/push-plan.ts';

export const command = defineCommand({
  argument: { term: '<plan>', help: 'a file written by --plan-out' },
  flags: outputFlags,
  examples: [
    'reviewctl plan show shop.plan',
    'reviewctl plan show shop.plan -o csv --excel > plan.csv',
    'reviewctl plan show shop.plan -o ids',
  ],
  exitCodes: [3, 7],
  run: async (invocation) => {
    const { args, context } = invocation;
    const plan = await openPlanFile(resolve(context.cwd, args[0] ?? ''), { isOnlyShown: true });
    invocation.defer(() => plan.close());
    await (plan.heading.kind === 'rewards' ? showPayments : showPush)(invocation, plan);
  },
});

type ShowInvocation = Invocation<typeof outputFlags>;

async function showPush(invocation: ShowInvocation, plan: PlanFile): Promise<void> {
  const { command, service, profile, files, persons } = readPushSubject(plan);
  const {
    context: { streams },
    notices,
  } = invocation;
  notices.info(
    `${headline(plan, streams)}: ${command} ${files.join(' ')}, for ${service} with profile ${profile}`,
  );
  notices.info(`${counted(plan.end.records, 'record')}, ${countsInWords(asPlanned(readPushTotals(plan)))}`);
  notices.info(persons.length === 0 ? 'no personal data' : `personal data: ${persons.join(', ')}`);
  async function* records(): AsyncGenerator<readonly JsonObject[]> {
    for await (const lines of readPlanLines(plan)) yield lines.map(plannedRecord);
  }
  await printList(invocation, plannedRecordView, records(), (written) =>
    counted(written, plannedRecordView.noun),
  );
}

async function showPayments(invocation: ShowInvocation, plan: PlanFile): Promise<void> {
  const { about } = plan.heading;
  const [origin, payer, amount] = [about['origin'], about['payer'], plan.end.totals['amount']].map(textOf);
  const {
    context: { streams },
    notices,
  } = invocation;
  notices.info(`${headline(plan, streams)}: rewards settle, for ${origin} with payer ${payer}`);
  notices.info(`${counted(plan.end.records, 'payment')}, ${amount} in total`);
  notices.info('personal data: memberOriginId');
  async function* records(): AsyncGenerator<readonly JsonObject[]> {
    for await (const texts of plan.records()) yield texts.map((text): JsonObject => JSON.parse(text));
  }
  await printList(invocation, plannedPaymentView, records(), (written) =>
    counted(written, plannedPaymentView.noun),
  );
}

function headline({ heading: { id, createdAtMs } }: PlanFile, { timeZone }: Streams): string {
  return `${id}, made ${timeInWords(createdAtMs, timeZone)}`;
}

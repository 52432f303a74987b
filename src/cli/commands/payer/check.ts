import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { type ExitCode, Failure } from '../../../base/failure.ts';
import type { JsonObject } from '../../../base/json.ts';
import { formatMoney, oneUnit, parseMoney } from '../../../base/money.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { note, optional, type View, word } from '../../../output/views/view.ts';
import {
  type CheckCall,
  type CheckStep,
  type CheckVerdict,
  checkPayer,
  checkVerdict,
  lookupFault,
} from '../../../payer/check-payer.ts';
import { type Payer, paymentDocument } from '../../../payer/payer.ts';
import { defaultFlag, groupFlags, textFlag } from '../../flags/flags.ts';
import { payerFlags } from '../../flags/payer-flags.ts';
import { askFlags, connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import { isConfirmed } from '../../runtime/ask.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { printRecords } from '../../runtime/print.ts';
import { openPayer } from '../../templates/settle/open-payer.ts';

/** Typed each time: a setting must not cause a payment. */
const testFlags = groupFlags('Test payment', {
  member: textFlag('ID', 'your own id of the member to pay'),
  amount: defaultFlag(
    () =>
      z
        .string()
        .transform(parseMoney)
        .pipe(z.bigint('expected an amount such as 1').positive('expected an amount above zero')),
    oneUnit,
    'AMOUNT',
    'amount to pay (default 1)',
  ),
});

const flags = {
  ...testFlags,
  ...payerFlags,
  ...outputFlags,
  ...askFlags,
  profile: connectionFlags.profile,
};
type CheckInvocation = Invocation<typeof flags>;

export const command = defineCommand({
  flags,
  examples: [
    'reviewctl payer check --member tester7 --payer-command /opt/shop/pay',
    'reviewctl payer check --member tester7 --yes --payer-url https://pay.example.com/points',
  ],
  exitCodes: [5, 6, 7, 11],
  run: async (invocation) => {
    const callRecordsFolder = mkdtempSync(join(tmpdir(), 'reviewctl-payer-check-'));
    invocation.defer(async () => rmSync(callRecordsFolder, { recursive: true, force: true }));
    const payer = await openPayer(invocation, { callRecordsFolder });
    invocation.defer(() => payer.close());
    return check(payer, invocation);
  },
});

async function check(payer: Payer, invocation: CheckInvocation): Promise<ExitCode> {
  const { context, flags, notices } = invocation;
  const { member: memberOriginId, amount } = flags;
  if (memberOriginId === undefined) {
    throw new Failure(
      'usage',
      'a check pays a small amount and needs a member',
      'use a member who may keep it, such as your own test account: --member ID',
    );
  }
  const question =
    `Pay ${formatMoney(amount)} to member ${memberOriginId} through ${payer.capabilities.name}, and request the ` +
    'same payment twice?';
  if (!(await isConfirmed(question, invocation))) {
    throw new Failure('usage', 'cancelled; nothing was paid', 'to check: answer y, or add --yes');
  }
  const calls: CheckCall[] = [];
  const { clock, random, stopping } = context;
  const checked = { memberOriginId, amount, nowMs: clock.now(), random, stopping };
  const records = async function* () {
    for await (const call of checkPayer(payer, checked)) {
      calls.push(call);
      yield [recordOf(call)];
    }
  };
  await printRecords(invocation, checkView, records(), { firstRows: 10 });
  const code = report(checkVerdict(calls), payer, notices);
  const fault = lookupFault(calls);
  if (fault === undefined) return code;
  notices.warning(
    fault,
    'remove the setting payer-lookup-command until it is correct: its answers move money',
  );
  return code === 0 ? 7 : code;
}

const stepNames: Readonly<Record<CheckStep, string>> = {
  impossible: 'pay amount 0, no member',
  first: 'pay',
  repeated: 'pay again, same key',
  found: 'look it up',
  'not-found': 'look up another key',
};

const checkView: View = {
  noun: 'call',
  id: 'key',
  csvColumns: ['step', 'key', 'answer', 'ref', 'message', 'sent'],
  columns: [
    word('call', 'step'),
    word('answer'),
    word('receipt', 'ref'),
    note('message'),
    word('key', 'key', optional),
  ],
};

function recordOf({ step, payment, answer }: CheckCall): JsonObject {
  return {
    step: stepNames[step],
    key: payment.key,
    answer: answer.kind,
    ...('ref' in answer ? { ref: answer.ref } : {}),
    ...('message' in answer ? { message: answer.message } : {}),
    sent: JSON.parse(paymentDocument(payment)) as JsonObject,
  };
}

/** Reports the verdict of the check and the settings that follow from it. */
function report(verdict: CheckVerdict, { capabilities }: Payer, notices: Notices): ExitCode {
  const isDeclared = capabilities.idempotentForMs !== null;
  const leaveOut = 'remove the setting payer-idempotent';
  switch (verdict.kind) {
    case 'stopped':
      return reportStop(verdict.call, notices);
    case 'pays-impossible':
      notices.warning(
        'the payer answered paid to a payment of 0 to no member, so its answers prove nothing; the check paid no money',
        'make it validate amount and member, and refuse with exit code 10 or status 422',
      );
      return 7;
    case 'honours-keys':
      notices.summary(
        isDeclared
          ? `both calls returned receipt ${verdict.ref}: the payer is idempotent, as declared`
          : `both calls returned receipt ${verdict.ref}: the payer is idempotent; declare the period its provider ` +
              'guarantees: -c payer-idempotent=24h',
      );
      return 0;
    case 'no-receipt':
      notices.warning(
        'both calls were answered paid without a distinct receipt (a returned key is not one), so this may be ' +
          'one payment or two',
        'check the records of the payer; make it answer with its own receipt, {"outcome":"paid","ref":"…"}, or ' +
          `${leaveOut}`,
      );
      return isDeclared ? 7 : 0;
    case 'pays-twice':
      notices.warning(
        `one key returned two receipts, ${verdict.refs.join(' and ')}: the payer is not idempotent and has ` +
          'paid twice',
        `reverse one payment; ${leaveOut}, so that a lost call is never repeated`,
      );
      return isDeclared ? 7 : 0;
    case 'inconsistent':
      if (verdict.answer.kind === 'ambiguous') return reportLoss(verdict.answer.message, notices);
      notices.warning(
        `the payment was made, but the repeated key was answered '${verdict.answer.kind}': the payer does not ` +
          'repeat its answers',
        'make it answer a paid key with the same receipt (or with a special status such as 409: ' +
          `-c payer-paid-status=409), or ${leaveOut}`,
      );
      return isDeclared ? 7 : 0;
  }
}

function reportLoss(message: string, notices: Notices): ExitCode {
  notices.warning(
    `the payment was made, but the repeated key may have paid again: ${message}`,
    'check the records of the payer; it must answer a paid key with the same receipt',
  );
  return 11;
}

/** Reports a check that could not be completed. */
function reportStop({ step, payment, answer }: CheckCall, notices: Notices): ExitCode {
  const message = 'message' in answer ? `: ${answer.message}` : '';
  switch (answer.kind) {
    case 'misconfigured':
      notices.warning(
        `nothing was paid${message}`,
        'correct the settings of the payer, then run the check again',
      );
      return 2;
    case 'retry':
      notices.warning(`nothing was paid${message}`, 'run the same command again when the payer is reachable');
      return 5;
    case 'refused':
      notices.warning(`the payer refused the payment${message}`, 'use a member it can pay: --member ID');
      return 6;
    default:
      notices.warning(
        `the payer may or may not have paid${message}`,
        `check its records for the key ${payment.key}${step === 'first' ? '' : ', a payment of 0'}`,
      );
      return 11;
  }
}

import { type ExitCode, strongestExitCode } from '../../base/failure.ts';
import { note, type View, word } from '../../output/views/view.ts';
import { defineCommand } from '../runtime/command.ts';
import { printRecords } from '../runtime/print.ts';
import { checkReach } from './doctor/check-reach.ts';
import { checkSettings } from './doctor/check-settings.ts';
import { checkState, checkVersions } from './doctor/check-state.ts';
import { type CheckFinding, type DoctorInvocation, doctorFlags } from './doctor/finding.ts';

/** A finding as printed. */
type Line = Omit<CheckFinding, 'hint' | 'exitCode'> & { readonly hint?: string | undefined };

const view: View = {
  noun: 'check',
  id: 'check',
  csvColumns: ['check', 'status', 'message', 'hint'],
  columns: [word('check'), word('status'), note('message'), note('what to do', 'hint')],
};

/** The number of checks that need no service. The widths of the columns are taken from them. */
const localChecks = 5;

export const command = defineCommand({
  flags: doctorFlags,
  acceptsInvalidSettings: true,
  reportsVariables: true,
  examples: ['reviewctl doctor', 'reviewctl doctor -c base-url=https://reviews.example.com -o json'],
  exitCodes: [3, 4, 5, 6],
  run: async (invocation) => {
    const { notices } = invocation;
    const codes: ExitCode[] = [];
    async function* lines(): AsyncGenerator<readonly [Line]> {
      for await (const { exitCode, hint, ...line } of checkAll(invocation)) {
        if (exitCode !== undefined) codes.push(exitCode);
        yield [{ ...line, hint: hint && notices.complete(hint) }];
      }
    }
    await printRecords(invocation, view, lines(), { firstRows: localChecks });
    return strongestExitCode(codes);
  },
});

async function* checkAll(invocation: DoctorInvocation): AsyncGenerator<CheckFinding> {
  yield checkVersions(process.versions.node);
  const { address, hasToken } = yield* checkSettings(invocation);
  if (address !== undefined) yield* checkState(invocation);
  if (address === undefined || !hasToken) {
    yield { check: 'reach', status: 'skipped', message: 'needs an address and a credential' };
    return;
  }
  yield* checkReach(invocation, address);
}

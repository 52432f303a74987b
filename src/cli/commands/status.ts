import * as z from 'zod';
import { parseDuration } from '../../base/duration.ts';
import type { ExitCode } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { isThere } from '../../base/regular-file.ts';
import { durationInWords } from '../../output/views/duration-in-words.ts';
import { date, note, optional, text, type View, word } from '../../output/views/view.ts';
import { lastReadingMs } from '../../store/checkpoints/stored-checkpoint.ts';
import { missedLedger } from '../../store/ledger/missing-ledger.ts';
import { listCheckpoints, openExistingPushJournal } from '../../store/open-store.ts';
import { listFlag, settings, switchFlag } from '../flags/flags.ts';
import { capFlags } from '../flags/settle-flags.ts';
import { connectionFlags, outputFlags } from '../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../runtime/command.ts';
import { openState } from '../runtime/find-state.ts';
import { printList } from '../runtime/print.ts';
import { readAssumptions, useService } from '../runtime/session.ts';
import { findLedger } from '../templates/settle/settlement-session.ts';
import { offlineFlags, openLedger } from './ledger/offline-ledger.ts';
import { ledgerLines } from './status/ledger-status.ts';
import { pushStatus } from './status/push-status.ts';
import { type ExpectedJob, faultLine, lateJobs, type StatusLine } from './status/status-line.ts';

const jobValue = () =>
  z.string().transform((text, context): ExpectedJob => {
    const [, name = '', within = ''] = /^([\w-]+):(.+)$/.exec(text) ?? [];
    const withinMs = parseDuration(within);
    if (withinMs !== undefined) return { name, within, withinMs };
    context.addIssue({
      code: 'custom',
      message: 'expected a job and an age, such as products:26h or settle:30m',
    });
    return z.NEVER;
  });

const flags = {
  online: switchFlag('ask the service, too: credential, rewards QUEUED'),
  ...settings('Monitoring', {
    expectJobs: listFlag(
      jobValue,
      'JOB:AGE',
      'jobs that must have succeeded within an age: a kind of push, settle, or a name of --since-last',
    ),
  }),
  maxAmountPerDay: capFlags.maxAmountPerDay,
  ...outputFlags,
  ...offlineFlags,
  ...connectionFlags,
};
type StatusInvocation = Invocation<typeof flags>;

const view: View = {
  noun: 'line',
  id: 'about',
  csvColumns: ['about', 'status', 'message', 'last', 'ageSeconds', 'next'],
  columns: [
    text('about', 'about', { width: 32 }),
    word('status'),
    text('age', 'ageSeconds', { inWords: ageInWords }),
    date('last', 'last', optional),
    note('message'),
    note('next'),
  ],
  attention: ({ status }) => (status === 'late' || status === 'person' ? 'person' : 'change'),
};

function ageInWords(seconds: Json | undefined): string {
  if (typeof seconds !== 'number') return '';
  return seconds < 60 ? '< 1 min' : durationInWords(seconds * 1000);
}

export const command = defineCommand({
  flags,
  examples: [
    'reviewctl status',
    'reviewctl status --online',
    'reviewctl status -o json -c expect-jobs=products:26h',
  ],
  exitCodes: [4, 5, 6, 12],
  run: async (invocation): Promise<ExitCode> => {
    const { context, notices } = invocation;
    const nowMs = context.clock.now();
    let waiting = 0;
    async function* records(): AsyncGenerator<readonly JsonObject[]> {
      for await (const { lastMs, next, ...line } of statusLines(invocation, nowMs)) {
        if (line.status === 'late' || line.status === 'person') waiting += 1;
        const last = lastMs === undefined ? null : new Date(lastMs).toISOString();
        const ageSeconds = lastMs === undefined ? null : Math.max(0, Math.floor((nowMs - lastMs) / 1000));
        yield [{ ...line, last, ageSeconds, next: next && notices.complete(next) }];
      }
    }
    await printList(invocation, view, records(), () =>
      waiting === 0 ? 'nothing waits for a person' : `${waiting} late or waiting for a person`,
    );
    return waiting === 0 ? 0 : 6;
  },
});

async function* statusLines(invocation: StatusInvocation, nowMs: number): AsyncGenerator<StatusLine> {
  const successes = new Map<string, number>();
  const state = await openState(invocation, { isReadOnly: true });
  const journal = await openExistingPushJournal(state);
  if (journal !== undefined) {
    invocation.defer(() => journal.close());
    yield* pushStatus(
      journal,
      {
        state,
        cwd: invocation.context.cwd,
        hasJobLookup: readAssumptions(invocation.flags.assume).getJob !== undefined,
      },
      successes,
    );
  }
  for (const checkpoint of await listCheckpoints(state)) yield await listLine(checkpoint, successes);
  yield* await ledgerStatusLines(invocation, nowMs, successes);
  yield* lateJobs(invocation.flags.expectJobs ?? [], successes, nowMs);
  if (invocation.flags.online) yield* askService(invocation);
}

/** The line of one list; a checkpoint that cannot be read waits for a person. */
async function listLine(
  { list, name, place }: Awaited<ReturnType<typeof listCheckpoints>>[number],
  successes: Map<string, number>,
): Promise<StatusLine> {
  const about = `list ${name}`;
  try {
    const lastMs = await lastReadingMs(place);
    // If two lists share a name, the job has succeeded when both have.
    if (lastMs !== undefined) successes.set(name, Math.min(lastMs, successes.get(name) ?? lastMs));
    return { about, status: 'info', message: `${list} --since-last ${name}`, lastMs };
  } catch (error) {
    return faultLine(about, error);
  }
}

async function ledgerStatusLines(
  invocation: StatusInvocation,
  nowMs: number,
  successes: Map<string, number>,
): Promise<readonly StatusLine[]> {
  const place = await findLedger(invocation);
  try {
    if (place.kind === 'sqlite' && !isThere(place.path)) {
      const missed = await missedLedger(place.path, place);
      return missed === undefined ? [] : [faultLine('ledger', missed)];
    }
    const { ledger, standing, isOwnerAlive } = await openLedger(invocation);
    const cap = invocation.flags.maxAmountPerDay;
    return await ledgerLines(ledger, { standing, cap, isOwnerAlive, nowMs }, successes);
  } catch (error) {
    return [faultLine('ledger', error)];
  }
}

async function* askService(invocation: StatusInvocation): AsyncGenerator<StatusLine> {
  const { api } = await useService(invocation);
  const { value } = await api.call('listRewards', { query: { first: 1, status: 'QUEUED' } });
  const message = `accepts the credential; ${value.totalCount ?? 'an unknown number of'} rewards QUEUED`;
  yield { about: 'service', status: 'ok', message };
}

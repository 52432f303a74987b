import { accessSync, constants } from 'node:fs';
import { type ExitCode, Failure, messageOf, strongestExitCode } from '../base/failure.ts';
import { version } from '../base/version.ts';
import { serviceUrl } from '../client/open-service.ts';
import { findFolders, stateFolder } from '../config/folders.ts';
import { findSetting } from '../config/setting-sources.ts';
import { findToken } from '../config/token.ts';
import { writeRecords } from '../output/records.ts';
import { type Streams, writeOutput } from '../output/streams.ts';
import { terminalText } from '../output/terminal-text.ts';
import type { View } from '../output/view.ts';
import { journalPath, openSqlitePushJournal } from '../store/sqlite-push-journal.ts';
import { defineCommand, type Invocation } from './command.ts';
import { connect, requireBaseUrl } from './session.ts';
import { unknownVariables, variableHint } from './setting-names.ts';
import { connectionFlags, outputFlags } from './shared-flags.ts';

/** One line of the report. */
type Finding = {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly message: string;
  readonly hint?: string;
};

/** A finding, and the exit code it stands for. */
type Checked = Finding & { readonly exitCode?: ExitCode };

const flags = { ...outputFlags, ...connectionFlags };
type DoctorInvocation = Invocation<typeof flags>;

const view: View = {
  noun: 'check',
  id: 'check',
  csvColumns: ['check', 'status', 'message', 'hint'],
  columns: [
    { header: 'check', path: 'check', kind: 'word' },
    { header: 'status', path: 'status', kind: 'word' },
    { header: 'message', path: 'message', kind: 'text', width: 30 },
    { header: 'what to do', path: 'hint', kind: 'text', width: 30 },
  ],
};

/** The oldest Node.js line that still gets security fixes. */
const supportedNodeMajor = 22;

/** Time stamps and ages such as `7d` are off by as much as the clock is. */
const clockToleranceMs = 60_000;

export const doctor = defineCommand({
  flags,
  examples: ['reviewctl doctor', 'reviewctl doctor --base-url https://reviews.example.com -o json'],
  exitCodes: [4, 5],
  run: async (invocation) => {
    const { context, flags: given } = invocation;
    const codes: ExitCode[] = [];
    async function* findings(): AsyncGenerator<readonly [Finding]> {
      for await (const { exitCode, ...finding } of checkAll(invocation)) {
        if (exitCode !== undefined) codes.push(exitCode);
        yield [finding];
      }
    }
    const isForPeople = given.output === undefined && context.streams.isOutputTerminal;
    if (isForPeople) await writeReport(findings(), context.streams);
    else await writeRecords(findings(), view, { ...given, format: given.output }, context.streams);
    return strongestExitCode(codes);
  },
});

/** Findings as lines: a table would cut the very words that help. */
async function writeReport(findings: AsyncIterable<readonly [Finding]>, streams: Streams): Promise<void> {
  for await (const [{ check, status, message, hint }] of findings) {
    const lines = [`${status.padEnd(8)} ${check}: ${message}`];
    if (hint !== undefined) lines.push(`${' '.repeat(9)}-> ${hint}`);
    await writeOutput(streams, `${lines.map(terminalText).join('\n')}\n`);
  }
}

async function* checkAll(invocation: DoctorInvocation): AsyncGenerator<Checked> {
  yield checkVersions();
  yield* checkProject(invocation);
  yield* checkVariables(invocation);
  const address = yield* checked('address', () => checkAddress(invocation));
  const token = yield* checked('credential', () => checkToken(invocation));
  if (address !== undefined) yield* checked('state', () => checkState(invocation, address));
  if (address === undefined || token === undefined) {
    yield { check: 'reach', status: 'skipped', message: 'needs an address and a credential' };
    return;
  }
  yield* checkReach(invocation);
}

/** Yields what a check found, or the failure it ran into; returns its value. */
async function* checked<T>(
  check: string,
  work: () =>
    | Promise<{ readonly message: string; readonly value: T }>
    | { readonly message: string; readonly value: T },
): AsyncGenerator<Checked, T | undefined> {
  try {
    const { message, value } = await work();
    yield { check, status: 'ok', message };
    return value;
  } catch (error) {
    yield problemOf(check, error);
    return undefined;
  }
}

function problemOf(check: string, error: unknown): Checked {
  if (!(error instanceof Failure)) throw error;
  const { message, hint, exitCode } = error;
  return { check, status: 'problem', message, ...(hint === undefined ? {} : { hint }), exitCode };
}

function checkVersions(): Checked {
  const message = `reviewctl ${version}, Node.js ${process.version}`;
  const isSupported = Number(process.versions.node.split('.')[0]) >= supportedNodeMajor;
  if (isSupported) return { check: 'versions', status: 'ok', message };
  return {
    check: 'versions',
    status: 'warning',
    message: `${message}; this line of Node.js gets no more security fixes`,
    hint: `everything works, but a Node.js of ${supportedNodeMajor} or newer is safer`,
  };
}

/** A file that is read without being named is worth a line. */
function* checkProject({ sources: { project } }: DoctorInvocation): Generator<Checked> {
  const names = Object.keys(project);
  if (names.length === 0) return;
  yield {
    check: 'settings',
    status: 'ok',
    message: `reviewctl.json of this folder sets ${names.join(', ')}`,
  };
}

/** Variables that no command reads are usually misspelled. */
async function* checkVariables({ context, program }: DoctorInvocation): AsyncGenerator<Checked> {
  for (const variable of await unknownVariables(context.env, flags, program.settingFlags)) {
    const message = `no command reads ${variable.name}`;
    yield { check: 'environment', status: 'warning', message, hint: variableHint(variable) };
  }
}

function checkAddress({ flags: { baseUrl }, sources }: DoctorInvocation) {
  const url = serviceUrl(requireBaseUrl(baseUrl));
  const place = findSetting(sources, 'baseUrl')?.place ?? 'no setting';
  return { message: `${url.href} (${place}), profile ${sources.profile.name}`, value: url };
}

async function checkToken({ context, sources }: DoctorInvocation) {
  const { place, token } = await findToken({ sources, stdin: context.stdin });
  return { message: `found (${place})`, value: token };
}

async function checkState({ context, sources }: DoctorInvocation, address: URL) {
  const folder = stateFolder(findFolders(context.env), sources.profile.name, address);
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new Failure(
      'config',
      `${folder} cannot be written to: ${messageOf(error)}`,
      'name another folder with REVIEWCTL_STATE_DIR',
    );
  }
  const journal = await openSqlitePushJournal(journalPath(folder));
  journal.close();
  return { message: `journal in ${folder}`, value: folder };
}

/** One request tells reach, credential and clock. */
async function* checkReach(invocation: DoctorInvocation): AsyncGenerator<Checked> {
  let date: string | undefined;
  const service = await connect(invocation, (event) => {
    date = event.date ?? date;
  });
  try {
    const { value } = await service.api.call('listProducts', { query: { first: 1 } });
    yield {
      check: 'reach',
      status: 'ok',
      message: `the service answers and takes the credential; it has ${value.totalCount ?? 'some'} products`,
    };
  } catch (error) {
    yield problemOf('reach', error);
  } finally {
    await service.close();
  }
  const serviceMs = Date.parse(date ?? '');
  if (Number.isNaN(serviceMs)) return;
  const skewMs = invocation.context.clock.now() - serviceMs;
  if (Math.abs(skewMs) <= clockToleranceMs) {
    yield { check: 'clock', status: 'ok', message: 'agrees with the service' };
    return;
  }
  yield {
    check: 'clock',
    status: 'warning',
    message: `differs from the service by ${Math.round(skewMs / 1000)} s`,
    hint: 'set the clock of this machine; ages such as 7d are reckoned by it',
  };
}

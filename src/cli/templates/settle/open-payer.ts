import { Failure } from '../../../base/failure.ts';
import { hint, reviewctl } from '../../../base/hint.ts';
import { type PrivateFileReader, readPrivateFile } from '../../../config/private-file.ts';
import { findSetting } from '../../../config/setting-sources.ts';
import type { ExecPayerOptions } from '../../../payer/exec-payer.ts';
import type { Payer, PayerCapabilities } from '../../../payer/payer.ts';
import type { PayerFlags } from '../../flags/payer-flags.ts';
import type { Invocation } from '../../runtime/command.ts';

type PayerInvocation = Pick<Invocation<PayerFlags>, 'context' | 'flags' | 'secrets' | 'sources'>;

/**
 * Opens the payer of the flags; the caller closes it. `callRecordsFolder`, beside the ledger, is for the output of
 * programs.
 * @throws Failure('usage') if a flag is missing or contradicts another; Failure('config') for an unusable program,
 * address or file.
 */
export async function openPayer(
  invocation: PayerInvocation,
  { callRecordsFolder, isToBeCalled = true }: Pick<ExecPayerOptions, 'callRecordsFolder' | 'isToBeCalled'>,
): Promise<Payer> {
  const { flags, secrets } = invocation;
  const open = openers[callableKind(invocation)];
  const shared = {
    timeoutMs: flags.payerTimeout,
    promises: payerPromises(flags),
    lookUp: await openLookup(invocation),
    secrets,
    callRecordsFolder,
    isToBeCalled,
  };
  return open(invocation, shared);
}

type SharedOptions = Omit<ExecPayerOptions, 'program' | 'nowMs'>;
type Opener = (invocation: PayerInvocation, shared: SharedOptions) => Promise<Payer>;

/** The kinds of payers that this program can call. */
const openers = { exec: openProgram, http: openService } satisfies Record<string, Opener>;

async function openProgram(invocation: PayerInvocation, shared: SharedOptions): Promise<Payer> {
  const { context, flags } = invocation;
  const { openExecPayer } = await import('../../../payer/exec-payer.ts');
  const program = await findProgram(invocation, flags.payerCommand ?? '', '--payer-command');
  return openExecPayer({ ...shared, program, nowMs: context.clock.now() });
}

async function openService(invocation: PayerInvocation, shared: SharedOptions): Promise<Payer> {
  const { context, flags, secrets } = invocation;
  const { openHttpPayer, payerUrl } = await import('../../../payer/http-payer.ts');
  const url = payerUrl(flags.payerUrl ?? '', '--payer-url');
  const headers = await headersOf(flags.payerHeaderFile, context);
  for (const value of Object.values(headers)) secrets.add(value);
  return openHttpPayer({
    ...shared,
    env: context.env,
    url,
    headers,
    paidStatuses: new Set(flags.payerPaidStatus ?? []),
  });
}

/** The declared promises of the payer, without its name. */
export function payerPromises({
  payerIdempotent,
  payerReplaysResponse,
  payerLookupDelay,
}: Pick<PayerInvocation['flags'], 'payerIdempotent' | 'payerReplaysResponse' | 'payerLookupDelay'>): Omit<
  PayerCapabilities,
  'name'
> {
  return {
    idempotentForMs: payerIdempotent ?? null,
    replaysResponse: payerReplaysResponse,
    lookupDelayMs: payerLookupDelay,
  };
}

async function openLookup(invocation: PayerInvocation): Promise<Payer['lookUp']> {
  const { payerLookupCommand, payerTimeout } = invocation.flags;
  if (payerLookupCommand === undefined) return undefined;
  const { lookupProgram } = await import('../../../payer/lookup-program.ts');
  const program = await findProgram(invocation, payerLookupCommand, 'payer-lookup-command');
  return lookupProgram({
    program,
    timeoutMs: payerTimeout,
    secrets: invocation.secrets,
  });
}

async function findProgram({ context, flags, secrets }: PayerInvocation, command: string, flag: string) {
  const { findPayerProgram } = await import('../../../payer/payer-program.ts');
  const program = findPayerProgram({ command, flag, env: context.env, passedVariables: flags.payerEnv });
  for (const secret of program.secrets) secrets.add(secret);
  return program;
}

/**
 * The kind of payer to call; a typed payer takes precedence over one in the settings.
 * @throws Failure('usage') if no payer or more than one is named.
 */
function callableKind({ flags, sources }: PayerInvocation): keyof typeof openers {
  const { payerCommand, payerUrl } = flags;
  if (payerCommand === undefined && payerUrl === undefined) {
    throw new Failure(
      'usage',
      'no payer is configured',
      hint`--payer-command "/path/to/program"; or --payer-url https://host/path; or, if a person pays:
        ${reviewctl`rewards export FILE`}`,
    );
  }
  if (payerCommand === undefined) return 'http';
  if (payerUrl === undefined) return 'exec';
  const url = findSetting(sources, 'payerUrl');
  const isTyped = url?.origin === 'flag';
  if (isTyped !== (findSetting(sources, 'payerCommand')?.origin === 'flag')) return isTyped ? 'http' : 'exec';
  throw new Failure(
    'usage',
    'both payer-command and payer-url are set, and a reward has one payer',
    hint`remove one of them: ${url?.origin === 'profile' ? reviewctl`config unset payer-url` : (url?.place ?? '')}`,
  );
}

/** @throws Failure('config') if other users may read the file, and for an invalid header line. */
async function headersOf(
  path: string | undefined,
  reader: PrivateFileReader,
): Promise<Readonly<Record<string, string>>> {
  if (path === undefined) return {};
  const { readHeaderLines } = await import('../../../payer/http-payer.ts');
  return readHeaderLines(await readPrivateFile(path, 'payer-header-file', reader), path);
}

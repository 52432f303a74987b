import { Failure } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { kebabCase } from '../../base/name-case.ts';
import { secretsIn } from '../../client/auth.ts';
import { openService, type Service, type ServiceOptions, serviceUrl } from '../../client/open-service.ts';
import type { TraceEvent } from '../../client/trace.ts';
import { accountOf } from '../../config/account.ts';
import { findToken } from '../../config/token.ts';
import {
  type AssumptionName,
  type Assumptions,
  assumptionTable,
  defaultAssumptions,
  readAssumption,
} from '../../contract/assumptions.ts';
import type { Notices } from '../../output/terminal/notices.ts';
import type { pushFlags } from '../flags/sending-flags.ts';
import type { connectionFlags } from '../flags/shared-flags.ts';
import { isConfirmed } from './ask.ts';
import type { Invocation } from './command.ts';

export type ConnectionFlags = typeof connectionFlags;

/** The service, and the account that calls it. */
export interface Session extends Service {
  readonly account: string;
  /**
   * Asks for confirmation of writes if the profile is marked production, once per run. Every write asks by itself; a
   * command calls this earlier to ask before it records anything.
   * @throws Failure('usage') if the answer is no or there is no terminal to ask; then nothing is written.
   */
  confirmWrites(): Promise<void>;
}

/**
 * Opens the service of the flags until the command has ended. `onExchange` receives every attempt, in addition to the
 * trace of --debug.
 * @throws Failure('config') without an address; as `findToken` and `openService`.
 */
export async function useService(
  invocation: Invocation<ConnectionFlags>,
  options: Pick<ServiceOptions, 'onExchange' | 'completing'> = {},
): Promise<Session> {
  const { context, sources } = invocation;
  requireBaseUrl(invocation.flags.baseUrl);
  const { token } = await findToken(sources, context);
  const confirmWrites = writeConfirmation(invocation);
  const service = await openWith(token, invocation, { ...options, beforeWrite: confirmWrites });
  invocation.defer(() => service.close());
  return {
    ...service,
    get account() {
      return accountOf(token);
    },
    confirmWrites,
  };
}

/** The flags that open a service; the credential is separate. */
type CallFlags = Pick<
  ConnectionFlags,
  'debug' | 'baseUrl' | 'timeout' | 'retries' | 'rate' | 'overloadStatus' | 'assume'
> & { readonly outageWait?: (typeof pushFlags)['outageWait'] };
type CallInvocation = Invocation<CallFlags>;

/**
 * Opens the service of the flags with this credential; the caller closes it.
 * @throws Failure('config') without an address; as `openService`.
 */
export async function openWith(
  token: string,
  invocation: CallInvocation,
  {
    onExchange,
    beforeWrite,
    completing,
  }: Pick<ServiceOptions, 'onExchange' | 'beforeWrite' | 'completing'> = {},
): Promise<Service> {
  const { context, flags, secrets, notices, underWay } = invocation;
  const { env, clock, random, stopping } = context;
  for (const secret of secretsIn(token)) secrets.add(secret);
  const trace = flags.debug ? traceTo(notices) : undefined;
  const traceBoth: ServiceOptions['onExchange'] = (event) => {
    trace?.(event);
    onExchange?.(event);
  };
  // Each finding is reported once; of replies that are not UTF-8, only the first.
  const named = new Set<string>();
  const warnOnce = (name: string, message: string, remedy: HintText) => {
    if (!named.has(name)) notices.warning(message, remedy);
    named.add(name);
  };
  const service = await openService({
    env,
    clock,
    random,
    stopping,
    completing,
    baseUrl: requireBaseUrl(flags.baseUrl),
    token,
    assumptions: readAssumptions(flags.assume),
    timeoutMs: flags.timeout,
    retries: flags.retries,
    rate: flags.rate,
    overloadStatuses: flags.overloadStatus,
    outageWaitMs: flags.outageWait,
    beforeWrite,
    onExchange: trace === undefined && onExchange === undefined ? undefined : traceBoth,
    onRefutation: ({ finding, remedy }) => warnOnce(finding, finding, remedy),
    onInvalidUtf8: (operation, finding) =>
      warnOnce('utf-8', `${operation}: ${finding}`, 'report it to the operator of the service'),
  });
  const forget = underWay.add('request', () => service.countUnderWay());
  return {
    ...service,
    close: async () => {
      forget();
      await service.close();
    },
  };
}

/** A paid reward has to be reported to the service. So settlements have caps of their own and never ask. */
const neverAsking: ReadonlySet<string> = new Set(['rewards settle', 'rewards listen']);

/**
 * Asks before the first write of a run if the profile is marked production. The address does not matter: a tunnel to
 * the real service has a local address. Concurrent writes share one question.
 */
function writeConfirmation(invocation: Invocation<ConnectionFlags>): () => Promise<void> {
  const { argv, flags, sources } = invocation;
  const { name } = sources.profile;
  if (flags.production !== true || neverAsking.has(argv.slice(0, 2).join(' '))) return async () => undefined;
  const question = `Write to ${flags.baseUrl} with profile ${name}, which is marked production?`;
  let answer: Promise<boolean> | undefined;
  return async () => {
    answer ??= isConfirmed(question, invocation);
    if (await answer) return;
    throw new Failure('usage', 'cancelled; nothing was written', 'to write: answer y, or add --yes');
  };
}

function traceTo(notices: Notices): (event: TraceEvent) => void {
  return ({ method, path, tookMs, result }) =>
    notices.info(`${method} ${path} -> ${result} in ${Math.round(tookMs)} ms`);
}

/** The address of the service. @throws as `requireBaseUrl` and `serviceUrl`. */
export function serviceAddress({ baseUrl }: { readonly baseUrl: string | undefined }): URL {
  return serviceUrl(requireBaseUrl(baseUrl));
}

/** @throws Failure('config') if no address is given. */
function requireBaseUrl(baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl;
  throw new Failure(
    'config',
    'no service is configured',
    hint`set its address: ${reviewctl`login --base-url https://…`}; without a service, start one:
      ${reviewctl`sandbox serve`}`,
  );
}

/**
 * Reads `NAME=VALUE` settings of assumptions.
 * @throws Failure('usage') for an unknown name or an invalid value.
 */
export function readAssumptions(settings: readonly string[]): Assumptions {
  return settings.length === 0
    ? defaultAssumptions
    : { ...defaultAssumptions, ...givenAssumptions(settings) };
}

/**
 * The assumptions that are set, without those left at their defaults.
 * @throws Failure('usage') for an unknown name or an invalid value.
 */
export function givenAssumptions(settings: readonly string[]): Partial<Assumptions> {
  const given: Record<string, unknown> = {};
  for (const setting of settings) {
    const [name = '', ...rest] = setting.split('=');
    if (!Object.hasOwn(assumptionTable, name) || rest.length === 0) {
      throw new Failure(
        'usage',
        `'${setting}' is not a known assumption`,
        `write NAME=VALUE with one of: ${Object.keys(assumptionTable).join(', ')}`,
      );
    }
    const read = readAssumption(name as AssumptionName, rest.join('='));
    if ('fault' in read) throw new Failure('usage', `${kebabCase(name)}: ${read.fault}`);
    given[name] = read.value;
  }
  return given;
}

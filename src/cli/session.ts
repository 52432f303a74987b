import type { ExitCode } from '../base/failure.ts';
import { Failure } from '../base/failure.ts';
import { openService, type Service } from '../client/open-service.ts';
import type { TraceEvent } from '../client/trace.ts';
import { accountOf } from '../config/account.ts';
import { findToken } from '../config/token.ts';
import { type Assumptions, assumptionsSchema } from '../contract/assumptions.ts';
import type { Notices } from '../output/notices.ts';
import type { Invocation } from './command.ts';
import type { connectionFlags } from './shared-flags.ts';

export type ConnectionFlags = typeof connectionFlags;

/** The service, and on whose behalf it is called. */
export interface Session extends Service {
  readonly account: string;
}

/**
 * Opens the service the flags name, does `work` with it and lets go of its connections whatever happens.
 * @throws Failure('config') without an address; as `findToken` and `openService`; and what `work` throws.
 */
export async function withService(
  invocation: Invocation<ConnectionFlags>,
  work: (service: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const service = await connect(invocation);
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

/**
 * Opens the service the flags name; the caller closes it. `onExchange` is told of every attempt besides the trace of --debug.
 * @throws as `withService` does.
 */
export async function connect(
  { context, flags, sources, secrets, notices }: Invocation<ConnectionFlags>,
  onExchange?: (event: TraceEvent) => void,
): Promise<Session> {
  const baseUrl = requireBaseUrl(flags.baseUrl);
  const assumptions = readAssumptions(flags.assume);
  const { token } = await findToken({ sources, stdin: context.stdin });
  secrets.add(token);
  const trace = flags.debug ? traceTo(notices) : undefined;
  const isWatched = onExchange !== undefined || trace !== undefined;
  const service = await openService({
    ...context,
    baseUrl,
    token,
    assumptions,
    timeoutMs: flags.timeout,
    retries: flags.retries,
    rate: flags.rate,
    onExchange: isWatched
      ? (event) => {
          trace?.(event);
          onExchange?.(event);
        }
      : undefined,
  });
  return { ...service, account: accountOf(token) };
}

function traceTo(notices: Notices): (event: TraceEvent) => void {
  return ({ method, path, tookMs, result }) =>
    notices.info(`${method} ${path} -> ${result} in ${Math.round(tookMs)} ms`);
}

/** @throws Failure('config') where no address is given. */
export function requireBaseUrl(baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl;
  throw new Failure(
    'config',
    'no service is named',
    'give its address: --base-url https://… or REVIEWCTL_BASE_URL; or try everything on a sandbox: reviewctl demo',
  );
}

/**
 * Reads `NAME=VALUE` settings of assumptions.
 * @throws Failure('usage') for a name or a value there is none of.
 */
export function readAssumptions(settings: readonly string[]): Assumptions {
  const given: Record<string, unknown> = {};
  for (const setting of settings) {
    const [name = '', ...rest] = setting.split('=');
    if (!Object.hasOwn(assumptionsSchema.shape, name) || rest.length === 0) {
      throw new Failure(
        'usage',
        `--assume: '${setting}' names no assumption`,
        `write NAME=VALUE with one of: ${Object.keys(assumptionsSchema.shape).join(', ')}`,
      );
    }
    given[name] = assumptionValue(name, rest.join('='));
  }
  const read = assumptionsSchema.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Failure('usage', `--assume ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not valid'}`);
}

function assumptionValue(name: string, value: string): unknown {
  if (name === 'pendingJobStatuses') return value.split(',');
  return name === 'categoryBulkMaximum' ? Number(value) : value;
}

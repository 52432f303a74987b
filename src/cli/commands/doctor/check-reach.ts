import { Failure } from '../../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../../base/hint.ts';
import { ProxyError } from '../../../base/proxy.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { isAuthorityUnknown } from '../../../base/tls-failure.ts';
import type { TraceEvent } from '../../../client/trace.ts';
import { findSetting } from '../../../config/setting-sources.ts';
import { findToken } from '../../../config/token.ts';
import { useService } from '../../runtime/session.ts';
import { type CheckFinding, type DoctorInvocation, problemOf } from './finding.ts';

/** Time stamps and ages such as `7d` are off by the error of the clock. */
const clockToleranceMs = 60_000;

/** Checks reachability, credential and clock with one request. */
export async function* checkReach(invocation: DoctorInvocation, address: URL): AsyncGenerator<CheckFinding> {
  let date: string | undefined;
  const onExchange = (event: TraceEvent) => {
    date = event.date ?? date;
  };
  const { stopping } = invocation.context;
  try {
    const { api } = await useService(invocation, { onExchange });
    const { value } = await api.call('listProducts', { query: { first: 1 } }, stopping);
    const message = `the service accepts the credential; it has ${value.totalCount ?? 'some'} products`;
    yield { check: 'reach', status: 'ok', message };
  } catch (error) {
    stopping.throwIfAborted();
    const problem = problemOf('reach', error);
    yield { ...problem, hint: (await remedyOf(error, invocation, address)) ?? problem.hint };
  }
  const skewMs = invocation.context.clock.now() - Date.parse(date ?? '');
  if (!Number.isNaN(skewMs)) yield checkClock(skewMs);
}

/** A remedy for a failed call that is more specific than the call's own hint, if the settings allow one. */
async function remedyOf(
  error: unknown,
  { context, sources }: DoctorInvocation,
  { href, origin, pathname }: URL,
): Promise<HintText | undefined> {
  if (!(error instanceof Failure)) return undefined;
  const login = reviewctl`login --profile ${sources.profile.name} --base-url`;
  const given = findSetting(sources, 'baseUrl')?.place ?? 'the setting base-url';
  if (error.kind === 'not-authenticated') {
    const { place } = await findToken(sources, context);
    const [variable] = /^[A-Z_]+(?= |$)/.exec(place) ?? [];
    const unset = variable === undefined ? '' : `unset ${variable} && `;
    return hint`it comes from ${place}; to replace it: ${unset}${login} ${shellWord(href.replace(/\/$/, ''))}`;
  }
  if (error.place.status === 404) {
    return pathname === '/'
      ? hint`the address comes from ${given}; ask the operator of the service for the right one, then: ${login}
        https://…`
      : hint`the address comes from ${given}; to try it without its path: ${reviewctl`doctor -c base-url=${origin}`}`;
  }
  const isAddressInDoubt = error.kind === 'unreachable' || error.kind === 'unreadable-reply';
  if (!isAddressInDoubt || isAuthorityUnknown(error) || isOfProxy(error)) return undefined;
  return `the address comes from ${given}; to see what is there: curl -v ${shellWord(href)}`;
}

function isOfProxy(error: unknown): boolean {
  return error instanceof ProxyError || (error instanceof Error && isOfProxy(error.cause));
}

/** `skewMs` is how far this machine is ahead of the service. */
function checkClock(skewMs: number): CheckFinding {
  if (Math.abs(skewMs) <= clockToleranceMs) {
    return { check: 'clock', status: 'ok', message: 'in sync with the service' };
  }
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return {
    check: 'clock',
    status: 'warning',
    message:
      `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the service; ` +
      'ages such as 7d are off by the same amount',
    hint: 'synchronize the clock: sudo timedatectl set-ntp true',
  };
}

import { hint, reviewctl } from '../../../base/hint.ts';
import { findSetting } from '../../../config/setting-sources.ts';
import { findToken } from '../../../config/token.ts';
import { serviceAddress } from '../../runtime/session.ts';
import { unknownVariables, variableHint } from '../../settings/setting-names.ts';
import { type CheckFinding, checked, type DoctorInvocation, problemOf } from './finding.ts';

/** The address, and whether a credential was found. */
interface CheckedSettings {
  readonly address: URL | undefined;
  readonly hasToken: boolean;
}

/** Checks files and variables for address and credential. */
export async function* checkSettings(
  invocation: DoctorInvocation,
): AsyncGenerator<CheckFinding, CheckedSettings> {
  for (const fault of invocation.faults) yield problemOf('settings', fault);
  yield* checkProject(invocation);
  yield* checkVariables(invocation);
  if (invocation.faults.length > 0 && invocation.flags.baseUrl === undefined) {
    yield { check: 'address', status: 'skipped', message: 'the settings above cannot be read' };
    return { address: undefined, hasToken: false };
  }
  const address = yield* checked('address', () => checkAddress(invocation));
  if (address !== undefined) yield* checkProxy(address, invocation);
  const token = yield* checked('credential', () => checkToken(invocation));
  return { address, hasToken: token !== undefined };
}

/** A file that is read without being named is worth a line. */
function* checkProject({ sources: { project } }: DoctorInvocation): Generator<CheckFinding> {
  const names = Object.keys(project);
  if (names.length === 0) return;
  const message = `reviewctl.json of this folder sets ${names.join(', ')}`;
  yield { check: 'settings', status: 'ok', message };
}

/** Variables that no command reads are usually misspelled. */
async function* checkVariables({ context, program }: DoctorInvocation): AsyncGenerator<CheckFinding> {
  for (const variable of await unknownVariables(context.env, program.settingNames)) {
    const message = `no command reads ${variable.name}`;
    yield { check: 'environment', status: 'warning', message, hint: variableHint(variable) };
  }
}

function checkAddress({ flags, sources }: DoctorInvocation) {
  const url = serviceAddress(flags);
  const place = findSetting(sources, 'baseUrl')?.place ?? 'no setting';
  const profile = `profile ${sources.profile.name}`;
  const origin = place === profile ? profile : `${place}; ${profile}`;
  return { message: `${url.href} (${origin})`, value: url };
}

/** A proxy is not a fault, but the first suspect if the service cannot be reached. */
function* checkProxy(address: URL, { context: { env } }: DoctorInvocation): Generator<CheckFinding> {
  const variable = ['https_proxy', 'HTTPS_PROXY'].find((name) => env[name]);
  if (variable === undefined || address.protocol !== 'https:') return;
  const except = env['no_proxy'] || env['NO_PROXY'];
  const proxy = env[variable]?.replace(/^.*@/s, '…@');
  yield {
    check: 'proxy',
    status: 'ok',
    message: `${variable} is set: ${proxy}${except ? `, but not for ${except}` : ''}`,
    hint: hint`to bypass it: NO_PROXY=${address.hostname} ${reviewctl`doctor`}`,
  };
}

async function checkToken({ context, sources }: DoctorInvocation) {
  const { place, token } = await findToken(sources, context);
  return { message: `found (${place})`, value: token };
}

import { shellWord } from '../../base/shell-word.ts';
import { createApi } from '../../client/caller.ts';
import { type ArrayProbe, probeArrays } from '../../client/probe-arrays.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import { arrayStyles } from '../../contract/evidence.ts';
import type { Session } from '../session.ts';
import type { DoctorInvocation, Finding } from './finding.ts';

type ArrayStyle = Assumptions['arrayQuery'];

/** Asks for two known products in each style of array parameters, the one in use first, and says which one the service reads. */
export async function findArrayStyle(
  { api, transport }: Session,
  { flags }: DoctorInvocation,
): Promise<Finding> {
  const { arrayQuery } = api.assumptions;
  const inUse = await probeArrays(api);
  if (inUse.kind === 'proven')
    return styleFinding('ok', `the service reads array parameters as ${arrayQuery}`);
  if (inUse.kind === 'unprovable') return unprovable(arrayQuery);
  const probe = (style: ArrayStyle): Promise<ArrayProbe> =>
    probeArrays(createApi({ transport, assumptions: { ...api.assumptions, arrayQuery: style } }));
  for (const style of arrayStyles) {
    if (style === arrayQuery || (await probe(style)).kind !== 'proven') continue;
    return styleFinding(
      'problem',
      `the service reads array parameters as ${style}, not as ${arrayQuery}`,
      toKeep(`arrayQuery=${style}`, flags.assume),
    );
  }
  return styleFinding(
    'problem',
    `the service reads array parameters in none of the known styles (${arrayStyles.join(', ')}): ${inUse.finding}`,
    'until it does, no product is created; ask its operator how array parameters are written',
  );
}

/** The flag for a setting of an assumption, and the command that keeps it beside those that are kept. */
function toKeep(setting: string, assume: readonly string[]): string {
  const name = setting.split('=')[0];
  const kept = [...assume.filter((other) => other.split('=')[0] !== name), setting].map(shellWord);
  return `add --assume ${setting}; to keep it: reviewctl config set assume ${kept.join(' ')}`;
}

function unprovable(inUse: ArrayStyle): Finding {
  return styleFinding(
    'skipped',
    `whether the service reads array parameters as ${inUse} cannot be asked: it lists fewer than two products`,
  );
}

function styleFinding(status: Finding['status'], message: string, hint?: string): Finding {
  return {
    check: 'arrayQuery',
    status,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(status === 'problem' ? { exitCode: 6 } : {}),
  };
}

import { type HintText, hint, reviewctl } from '../../../base/hint.ts';
import { createApi } from '../../../client/caller.ts';
import { probeArrays } from '../../../client/probe-arrays.ts';
import { arrayStyles } from '../../../contract/array-checks.ts';
import type { Assumptions } from '../../../contract/assumptions.ts';
import { type AssumptionFinding, confirmed, refuted } from '../../../contract/evidence.ts';
import type { Session } from '../../runtime/session.ts';

type ArrayStyle = Assumptions['arrayQuery'];

/**
 * Looks up two known products in each style of array parameters, the current one first, until the service reads one.
 * Undefined where the service lists fewer than two products. `assume`: the current settings, which the remedy keeps.
 */
export async function findArrayStyle(
  { api: { assumptions }, transport }: Session,
  assume: readonly string[],
): Promise<AssumptionFinding | undefined> {
  const { arrayQuery } = assumptions;
  // Not by the api of the session: a trial in a wrong style must not be stored as evidence.
  const probe = (style: ArrayStyle) =>
    probeArrays(createApi({ transport, assumptions: { ...assumptions, arrayQuery: style } }));
  const inUse = await probe(arrayQuery);
  if (inUse.kind === 'unprovable') return undefined;
  if (inUse.kind === 'proven') return confirmed('a lookup of two listed products returned exactly these two');
  for (const style of arrayStyles) {
    if (style === arrayQuery || (await probe(style)).kind !== 'proven') continue;
    const finding = refuted(
      `the service reads array parameters as ${style}, not as ${arrayQuery}`,
      toKeep(`arrayQuery=${style}`, assume),
    );
    return { ...finding, shown: style };
  }
  return refuted(
    `the service reads array parameters in an unknown style, none of these (${arrayStyles.join(', ')}): ` +
      `${inUse.finding}`,
    'no product is created until this is settled; ask the operator of the service how to write array parameters',
  );
}

/** The flag for a setting of an assumption, and the command that keeps it beside those that are kept. */
function toKeep(setting: string, assume: readonly string[]): HintText {
  const name = setting.split('=')[0];
  const kept = [...assume.filter((other) => other.split('=')[0] !== name), setting];
  return hint`add --assume ${setting}; to keep it: ${reviewctl`config set assume ${kept}`}`;
}

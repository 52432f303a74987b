import { type HintText, hint, reviewctl } from '../../../base/hint.ts';
import type { Run } from '../../../store/runs/run-log.ts';
import type { RunState } from '../../templates/push/run-states.ts';

/** The commands by which a person continues after a run. */
export function nextCommands({ id, end, command }: Run, state: RunState): readonly HintText[] {
  const { rejected = 0, failed = 0, unknown = 0 } = end?.tally ?? {};
  const next: HintText[] = [];
  if (rejected + failed > 0) next.push(reviewctl`runs rejects ${id}`);
  if (unknown > 0) next.push(hint`${reviewctl`runs resolve ${id} --sent`} or --not-sent`);
  if (state === 'killed' || (end !== undefined && end.exitCode !== 0)) next.push(reviewctl`${command}`);
  return next;
}

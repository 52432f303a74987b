import * as z from 'zod';
import { type HintText, hint, reviewctl } from '../../../base/hint.ts';
import type { JsonObject } from '../../../base/json.ts';
import { assumptionChecks } from '../../../contract/assumption-checks.ts';
import {
  type AssumptionName,
  type Assumptions,
  assumedValue,
  assumptionsSchema,
  clientAssumptions,
  isFixed,
  meaningOf,
} from '../../../contract/assumptions.ts';
import type { View } from '../../../output/views/view.ts';
import type { Learned, LearnedAssumptions } from '../../../store/profile/learned-assumptions.ts';

/** An assumption as it is printed. */
export interface AssumptionRow extends JsonObject {
  readonly assumption: AssumptionName;
  readonly value: string;
  readonly verdict: Learned['verdict'] | 'never seen';
  /** Since when that is known. */
  readonly since?: string;
  /** What was seen, or what would show it. */
  readonly evidence: string;
  /** How to change it, or what to do about it. */
  readonly change: string;
  readonly meaning: string;
}

export const assumptionView: View = {
  noun: 'assumption',
  id: 'assumption',
  csvColumns: ['assumption', 'value', 'verdict', 'since', 'evidence', 'change', 'meaning'],
  columns: [
    { header: 'assumption', path: 'assumption', kind: 'word' },
    { header: 'value', path: 'value', kind: 'text', width: 12 },
    { header: 'verdict', path: 'verdict', kind: 'word' },
    { header: 'since', path: 'since', kind: 'date', isOptional: true },
    { header: 'evidence', path: 'evidence', kind: 'text', width: 30 },
    { header: 'to change it', path: 'change', kind: 'text', width: 30, isOptional: true },
  ],
};

/** Every assumption with the evidence for its current value; evidence for another value is ignored. */
export function assumptionRows(
  assumptions: Assumptions,
  learned: LearnedAssumptions,
): readonly AssumptionRow[] {
  return Object.entries(assumptionChecks).map(([key, { shownBy }]) => {
    const name = key as AssumptionName;
    const value = assumedValue(name, assumptions);
    const known = learned.get(name);
    const seen = known?.value === value ? known : undefined;
    return {
      assumption: name,
      value,
      verdict: seen?.verdict ?? 'never seen',
      ...(seen === undefined ? {} : { since: seen.at }),
      evidence: seen?.finding ?? `can be observed in: ${shownBy}`,
      change: String(seen?.remedy ?? changeOf(name, seen?.shown)),
      meaning: meaningOf(name),
    };
  });
}

function changeOf(name: AssumptionName, shown: string | undefined): HintText {
  if (isFixed(name)) return 'cannot be changed';
  const value = shown ?? choicesOf(name);
  if (clientAssumptions.has(name)) return `--assume ${name}=${value}`;
  return hint`the client accepts every value; for the sandbox: ${reviewctl`sandbox serve --assume ${name}=${value}`}`;
}

/** The values an assumption may have, where they are few. */
function choicesOf(name: keyof Assumptions): string {
  const schema: z.ZodType = assumptionsSchema.shape[name];
  const values = schema instanceof z.ZodDefault ? schema.unwrap() : undefined;
  return values instanceof z.ZodEnum ? values.options.join('|') : '…';
}

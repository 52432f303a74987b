import { Failure } from '../../../base/failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Assumptions } from '../../../contract/assumptions.ts';
import type { Product } from '../../../contract/resources.ts';
import { isMasked } from '../../../input/cells/text.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { updateOf } from '../../../push/fields/field.ts';
import { productFields } from '../../../push/fields/tables.ts';
import type { BodyField } from './body-flags.ts';
import type { GivenBody } from './given-body.ts';

/** Completes the body of an update by flags with the stored values that it would reset to defaults (API 4.4). */
export function withKnownValues(body: GivenBody, shown: Product, assumptions: Assumptions): GivenBody {
  if (!isJsonObject(body.value)) return body;
  return { ...body, value: { ...updateOf(productFields, {}, shown, assumptions), ...body.value } };
}

/**
 * Completes nested objects in the body of an update by flags, because the service may replace an object by its given
 * fields. The rest comes from the record that `show` returns; without `show`, a warning lists the fields that may be
 * lost.
 * @throws Failure('usage') if the service masks a value of the rest: written back, it would replace the true value.
 */
export async function withWholeParts(
  body: GivenBody,
  fields: readonly BodyField[],
  show: (() => Promise<JsonObject>) | undefined,
  notices: Notices,
): Promise<GivenBody> {
  if (!isJsonObject(body.value)) return body;
  const whole: Record<string, Json | undefined> = { ...body.value };
  for (const [name, part] of Object.entries(body.value)) {
    if (!isJsonObject(part)) continue;
    const names = fields.map(({ path }) => path.split('.')).filter(([parent]) => parent === name);
    const missing = names.flatMap(([, own]) => (own === undefined || own in part ? [] : own));
    if (missing.length === 0) continue;
    const { [name]: shown } = (await show?.()) ?? {};
    const kept = missing.flatMap((own) => {
      const value = isJsonObject(shown) ? shown[own] : undefined;
      return value == null ? [] : [[own, value] as const];
    });
    const masked = kept.filter(([, value]) => typeof value === 'string' && isMasked(value));
    if (masked.length > 0) {
      const flags = masked.map(([own]) => body.nameOf([name, own])).join(', ');
      throw new Failure(
        'usage',
        `the service shows a part of ${name} masked, which this update would write back: ${flags}`,
        `nothing was sent; give the complete values, too: ${flags}`,
      );
    }
    whole[name] = { ...Object.fromEntries(kept), ...part };
    if (show !== undefined) continue;
    notices.warning(
      `the service may clear the other fields of ${name}: ${missing.join(', ')}`,
      'set these as well, or change the record with a push, which keeps stored values',
    );
  }
  return { ...body, value: whole };
}

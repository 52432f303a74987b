import { hint, reviewctl } from '../../base/hint.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Assumptions } from '../../contract/assumptions.ts';
import type { Product } from '../../contract/resources.ts';
import type { ProductRecord } from '../../input/records/record-kinds.ts';
import { changesOf, updateOf } from '../fields/field.ts';
import { productFields } from '../fields/tables.ts';
import { groupNameOf, type ObservedProduct } from '../lookup/observe-products.ts';
import type { GroupNames } from '../lookup/product-groups.ts';
import { isImageTaken, productEntry } from '../steps/product-image.ts';
import type { Resend } from './decide.ts';
import { decided, rejected, type UpsertEntry } from './upsert-entry.ts';

/** The choices for a product that the service already has: change the differences, skip it, or reject the record. */
export const onExistingChoices = ['update', 'skip', 'fail'] as const;
type OnExisting = (typeof onExistingChoices)[number];

export interface ProductRules {
  readonly onExisting: OnExisting;
  /** Rejects records of products that the service does not have. */
  readonly isUpdateOnly: boolean;
  /** True if a product may create its group. Otherwise, other shards could create a second group of that name. */
  readonly makesGroups: boolean;
  readonly resend: Resend | undefined;
  readonly assumptions: Assumptions;
}

/**
 * Decides on one record, after the earlier ones in the input. `newGroups` has the groups that their creations would
 * make.
 */
export function decideProduct(
  observed: ObservedProduct,
  rules: ProductRules,
  newGroups: GroupNames,
): UpsertEntry {
  const { entry, existing, failed } = observed;
  if (failed !== undefined) return { outcome: failed };
  const [product, second] = existing;
  if (product === undefined) return decideCreation(observed, rules, newGroups);
  if (second !== undefined)
    return rejected(entry, `the service has it more than once: ${existing.map(({ id }) => id).join(', ')}`);
  const mismatch = idMismatch(entry.record, product);
  if (mismatch !== undefined) return rejected(entry, mismatch);
  const step = decideUpdate(observed, product, rules, newGroups);
  const { originId } = observed.entry.record;
  // The lost creation of an earlier run has succeeded.
  const learned = { entry: productEntry({ originId }), objectId: product.id };
  return observed.known?.fate === 'unknown' ? { ...step, learned } : step;
}

/**
 * The reason why a row does not match `product`: its id and its originId belong to different products; undefined if it
 * matches.
 */
function idMismatch({ originId, id }: ProductRecord, product: Product): string | undefined {
  if (product.originId !== originId)
    return (
      `id ${id} belongs to product '${product.originId}' at the service, but the row has the ` +
      `originId '${originId}'; ${idHint}`
    );
  if (id === undefined || product.id === id) return undefined;
  return `the service has product '${originId}' under the id ${product.id}, but the row has the id ${id}; ${idHint}`;
}

const idHint =
  'correct the originId (a spreadsheet drops leading zeros), or if the column is not the id ' +
  'of the service, leave it out with --set id=';

/** The outcome of a missing product that an earlier run may have created; undefined if none did. */
function undecided({ entry, known }: ObservedProduct, { resend }: ProductRules): UpsertEntry | undefined {
  if (known === undefined || known.objectId !== undefined || resend === 'all') return undefined;
  if (known.fate === 'unknown')
    return resend === 'unknown' ? undefined : decided(entry, 'unknown', { error: maybeCreated });
  return resend === 'accepted' ? undefined : rejected(entry, createdBefore);
}

const maybeCreated = hint`a creation was sent in an earlier run, its answer was lost, and the service does not show
  the product; once it does, run the same command again; if it never will, say so with
  ${reviewctl`runs resolve RUN --not-sent`}, or create it with --resend unknown`;
const createdBefore =
  'the service accepted it in an earlier run, but does not show it now; if it was deleted there, ' +
  'create it again with --resend accepted';

function decideCreation(observed: ObservedProduct, rules: ProductRules, newGroups: GroupNames): UpsertEntry {
  const { entry } = observed;
  const { record } = entry;
  if (rules.isUpdateOnly)
    return rejected(entry, 'the service has no such product, and --update-only creates none');
  const doubt = undecided(observed, rules);
  if (doubt !== undefined) return doubt;
  if (record.id !== undefined)
    return rejected(
      entry,
      `the service has neither product '${record.originId}' nor one with the id ${record.id}; to ` +
        'create it, leave the id out with --set id=',
    );
  const { id: _id, groupName: _name, ...fields } = record;
  if (record.name === undefined) return rejected(entry, 'name is needed to create a product');
  const groupName = groupNameOf(record);
  if (groupName !== undefined && observed.groupId === undefined) {
    if (!rules.makesGroups) return rejected(entry, noGroupForShard(groupName));
    newGroups.add(groupName);
  }
  const body = { ...fields, ...(groupName === undefined ? {} : { groupName }) } as JsonObject;
  return { ...decided(entry, 'created'), write: { kind: 'create', body } };
}

function decideUpdate(
  { entry, known, groupId: foundGroup }: ObservedProduct,
  product: Product,
  { onExisting, resend, assumptions }: ProductRules,
  newGroups: GroupNames,
): UpsertEntry {
  const { record } = entry;
  const { id } = product;
  if (onExisting === 'skip') return decided(entry, 'skipped', { id });
  if (onExisting === 'fail')
    return rejected(entry, 'the service has it already, and --on-existing fail refuses that');
  const groupName = groupNameOf(record);
  const newGroup =
    groupName !== undefined && newGroups.has(groupName) ? `(new group ${groupName})` : undefined;
  const groupId = groupName === undefined ? record.groupId : (foundGroup ?? newGroup);
  if (groupName !== undefined && groupId === undefined) return rejected(entry, noGroup(groupName));
  const isResent = resend === 'accepted' || resend === 'all';
  const isImageKept = !isResent && isImageTaken(known, record.imageUrl) && Boolean(product.image?.url);
  const categories = record.categories && withPrimary(record.categories, product);
  const wanted = { ...record, groupId, categories, ...(isImageKept ? { imageUrl: undefined } : {}) };
  const changes = changesOf(productFields, wanted as Readonly<Record<string, Json | undefined>>, product);
  if (Object.keys(changes).length === 0) return decided(entry, 'unchanged', { id });
  const body = updateOf(productFields, changes, product, assumptions);
  const { groupId: _, ...others } = body;
  const isPlaced = groupName !== undefined && changes['groupId'] !== undefined;
  const write = { kind: 'update', id, ...(isPlaced ? { body: others, groupName } : { body }) } as const;
  return { ...decided(entry, 'updated', { id, changes }), write, before: product };
}

/** The categories of a row. If it names no primary one, the product's primary category stays primary. */
function withPrimary(
  categories: NonNullable<ProductRecord['categories']>,
  product: Product,
): NonNullable<ProductRecord['categories']> {
  if (categories.some(({ isPrimary }) => isPrimary === true)) return categories;
  const primary = product.categories?.find(({ isPrimary }) => isPrimary === true)?.category?.originId;
  return categories.map((one) =>
    one.originId === primary && one.isPrimary === undefined ? { ...one, isPrimary: true } : one,
  );
}

function noGroupForShard(groupName: string): string {
  return (
    `no product group is named '${groupName}', and several shards could make one each; push a product of the group ` +
    'without --shard first'
  );
}

export function noGroup(groupName: string): string {
  return `no product group is named '${groupName}', and an update cannot make one; push a new product of it first`;
}

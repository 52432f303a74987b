import type { Assumptions } from '../../contract/assumptions.ts';
import type { Product } from '../../contract/resources.ts';
import type { Entry, ProductRecord } from '../../input/records/record-kinds.ts';
import { groupNameOf, type ObservedProduct } from '../lookup/observe-products.ts';
import type { GroupNames } from '../lookup/product-groups.ts';
import { type OutcomeWord, outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import { isImageTaken } from '../steps/product-journal.ts';
import type { PlanEntry } from '../steps/push-flow.ts';
import type { Resend } from './decide.ts';
import { fieldChanges, type ProductBody, type ProductChanges, productChanges } from './product-changes.ts';

/** What to do with a product the service has already: change what differs, leave it alone, or reject the record. */
export const onExistingChoices = ['update', 'skip', 'fail'] as const;
type OnExisting = (typeof onExistingChoices)[number];

/** The fields to send of a product; a group that is given by name is found or created when the product is sent. */
export type ProductWrite =
  | { readonly kind: 'create'; readonly body: ProductBody }
  | {
      readonly kind: 'update';
      readonly id: string;
      readonly changes: ProductChanges;
      readonly groupName?: string;
    };

/** A record of a product with what is to be done with it. */
export interface ProductEntry extends PlanEntry {
  readonly write?: ProductWrite;
  /** The product as the service has it. */
  readonly before?: Product;
  /** The id of one whose creation was lost, which the journal is to learn. */
  readonly foundId?: string;
}

export interface ProductRules {
  readonly onExisting: OnExisting;
  /** Rejects records of products the service does not have. */
  readonly isUpdateOnly: boolean;
  /** Whether a product may make the group that it names; other shards could make a second one of that name. */
  readonly makesGroups: boolean;
  readonly resend: Resend | undefined;
  readonly assumptions: Assumptions;
}

/**
 * Decides on one record, after those before it in the input; `newGroups` has the groups that their creations would
 * make.
 */
export function decideProduct(
  observed: ObservedProduct,
  rules: ProductRules,
  newGroups: GroupNames,
): ProductEntry {
  const { entry, existing, failed } = observed;
  if (failed !== undefined) return { outcome: failed };
  const [product, second] = existing;
  if (product === undefined) return decideCreation(observed, rules, newGroups);
  if (second !== undefined)
    return rejected(entry, `the service has it more than once: ${existing.map(({ id }) => id).join(', ')}`);
  const misnamed = misnamedProduct(entry.record, product);
  if (misnamed !== undefined) return rejected(entry, misnamed);
  const step = decideUpdate(observed, product, rules, newGroups);
  return observed.known?.fate === 'unknown' ? { ...step, foundId: product.id } : step;
}

/**
 * Why the row of a product is not that of `product`: its id and its originId belong to different ones; undefined where
 * they do not.
 */
function misnamedProduct({ originId, id }: ProductRecord, product: Product): string | undefined {
  if (product.originId !== originId)
    return (
      `id ${id} is that of product '${product.originId}' at the service, and the row has the ` +
      `originId '${originId}'; ${otherwise}`
    );
  if (id === undefined || product.id === id) return undefined;
  return `the service has product '${originId}' under the id ${product.id}, and the row has the id ${id}; ${otherwise}`;
}

const otherwise =
  'correct the originId (a spreadsheet drops leading zeros), or where the column is not the id ' +
  'of the service, leave it out with --set id=';

/**
 * Why a product that the service does not show is not created: an earlier run may have created it; undefined where none
 * has.
 */
function undecided({ entry, known }: ObservedProduct, { resend }: ProductRules): ProductEntry | undefined {
  if (known === undefined || known.objectId !== undefined || resend === 'all') return undefined;
  if (known.fate === 'unknown')
    return resend === 'unknown' ? undefined : decided(entry, 'unknown', { error: maybeCreated });
  return resend === 'accepted' ? undefined : rejected(entry, createdBefore);
}

const maybeCreated =
  'a creation was sent in an earlier run, its answer was lost, and the service does not show the ' +
  'product; once it does, run the same command again; if it never will, say so with reviewctl runs ' +
  'resolve, or create it with --resend unknown';
const createdBefore =
  'the service took it in an earlier run, and does not show it now; if it was deleted there, ' +
  'create it again with --resend accepted';

function decideCreation(observed: ObservedProduct, rules: ProductRules, newGroups: GroupNames): ProductEntry {
  const { entry } = observed;
  const { record } = entry;
  if (rules.isUpdateOnly)
    return rejected(entry, 'the service has no such product, and --update-only creates none');
  const doubt = undecided(observed, rules);
  if (doubt !== undefined) return doubt;
  if (record.id !== undefined)
    return rejected(
      entry,
      `the service has neither product '${record.originId}' nor one of the id ${record.id}; to ` +
        'create it, leave the id out with --set id=',
    );
  const { name, groupName: _, ...rest } = record;
  if (name === undefined) return rejected(entry, 'name is needed to create a product');
  const groupName = groupNameOf(record);
  if (groupName !== undefined && observed.groupId === undefined) {
    if (!rules.makesGroups) return rejected(entry, noGroupForShard(groupName));
    newGroups.add(groupName);
  }
  const body = {
    ...rest,
    name,
    ...(rest.categories === undefined ? {} : { categories: [...rest.categories] }),
    ...(groupName === undefined ? {} : { groupName }),
  };
  return { ...decided(entry, 'created'), write: { kind: 'create', body } };
}

function decideUpdate(
  { entry, known, groupId: foundGroup }: ObservedProduct,
  product: Product,
  { onExisting, assumptions }: ProductRules,
  newGroups: GroupNames,
): ProductEntry {
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
  const isImageAccepted = isImageTaken(known, record.imageUrl);
  const changes = productChanges(record, product, { ...assumptions, groupId, isImageAccepted });
  if (Object.keys(changes).length === 0) return decided(entry, 'unchanged', { id });
  const isPutIntoGroup = changes.groupId !== undefined && changes.groupId !== product.group?.id;
  const { groupId: _, ...others } = changes;
  const write =
    groupName !== undefined && isPutIntoGroup
      ? ({ kind: 'update', id, changes: others, groupName } as const)
      : ({ kind: 'update', id, changes } as const);
  const step = decided(entry, 'updated', { id, changes: fieldChanges(product, changes) });
  return { ...step, write, before: product };
}

function noGroupForShard(groupName: string): string {
  return (
    `no product group is named '${groupName}', and several shards could make one each; push a product of the group ` +
    'without --shard first'
  );
}

export function noGroup(groupName: string): string {
  return `no product group is named '${groupName}', and an update cannot make one`;
}

function decided(
  entry: Entry<ProductRecord>,
  word: OutcomeWord,
  details: Pick<PushOutcome, 'id' | 'changes' | 'error'> = {},
): ProductEntry {
  const { file, line, record } = entry;
  return { outcome: outcomeOf({ file, line, originId: record.originId }, word, details) };
}

function rejected(entry: Entry<ProductRecord>, error: string): ProductEntry {
  return decided(entry, 'rejected', { error });
}

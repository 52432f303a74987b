import { Failure } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { kebabCase } from '../../base/name-case.ts';
import type { Api } from '../../client/caller.ts';
import type { OperationName } from '../../contract/operations.ts';
import { boolean, readScalar, text } from '../../contract/reply-codecs.ts';
import type { Breaker } from '../steps/breaker.ts';
import { outcomeOf, type PushOutcome } from '../steps/outcome.ts';
import { differencesIn } from './differences.ts';
import { keptFields, type ReplyDifference, replyDifferences, type Write } from './reply-differences.ts';

/** The failure of an update that changed fields it did not send. */
export class ResetByUpdate extends Failure {}

/**
 * The failure that ends a run because a write had an unintended result. Compares the service's raw `reply`; undefined
 * if nothing in it contradicts the write, or if replies prove nothing (assumption `writeReply`). The hint names the
 * command to check the record and the setting that fixes it.
 */
export function contradictoryReply(
  write: Write,
  reply: unknown,
  { assumptions }: Pick<Api, 'assumptions'>,
): Failure | undefined {
  if (assumptions.writeReply === 'earlier' || !isJsonObject(reply)) return undefined;
  const { operation, params = {}, originId } = write;
  const [id = readScalar(text, reply['id']) ?? ''] = Object.values(params);
  const { noun, look, restore } = subjects[operation] ?? {};
  const place = noun === undefined ? operation : `${noun} ${id}`;
  const [other] = differencesIn('originId', { meant: originId, shown: reply['originId'] }, 'proof');
  if (other !== undefined) {
    const named = `its originId is ${JSON.stringify(other.shown)}, but the row has ${JSON.stringify(originId)}`;
    const mismatch = `${place} is not the intended one: ${named}`;
    return new Failure('contradictory-reply', mismatch, otherHint(look?.(id)), { operation });
  }
  const differences = replyDifferences(write, reply);
  if (differences.length === 0) return undefined;
  const message = `${place} does not have the intended values: ${differencesInWords(differences)}`;
  const unsent = differences.filter(({ wasSent }) => !wasSent);
  if (restore === undefined || unsent.length === 0)
    return new Failure('contradictory-reply', message, lookHint(look?.(id)), { operation });
  const command = reviewctl`${restore.split(' ')} ${id} ${restoringFlags(write, unsent)}`;
  const remedy = hint`restore it: ${command}; then continue with -c defaults-on-update=apply, so that every update
    also sends the fields that it would leave out`;
  return new ResetByUpdate('contradictory-reply', message, remedy, { operation });
}

/** The outcome of a written record. If the result was not as intended, it has failed, and the push stops. */
export function verified(done: PushOutcome, failure: Failure | undefined, breaker: Breaker): PushOutcome {
  if (failure === undefined) return done;
  breaker.stop(failure);
  return outcomeOf(done, 'failed', { ...done, error: `${done.outcome}, but ${failure.message}` });
}

/** Formats intended and shown values, and whether they were sent. */
function differencesInWords(differences: readonly ReplyDifference[]): string {
  return differences
    .map(({ field, meant, shown, wasSent }) => {
      // Replies have flags as text, as the document defines them.
      const isFlag = typeof meant === 'boolean';
      const [from, to] = [meant, isFlag ? (readScalar(boolean, shown) ?? shown) : shown].map((value) =>
        JSON.stringify(value),
      );
      return wasSent
        ? `${field} was sent as ${from}, and the service shows ${to}`
        : `${field} was not sent, and changed from ${from} to ${to}`;
    })
    .join('; ');
}

/** The kind of record that an operation writes, and the command that shows it. */
interface Subject {
  readonly noun: string;
  readonly look: (id: string) => HintText;
  /** The update command that can restore fields by sending them explicitly. */
  readonly restore?: string;
}

const product: Subject = { noun: 'product', look: (id) => reviewctl`products get ${id}` };
const order: Subject = { noun: 'order', look: (id) => reviewctl`orders get ${id}` };
const subjects: Partial<Readonly<Record<OperationName, Subject>>> = {
  createProduct: product,
  updateProduct: { ...product, restore: 'products update' },
  addProductToGroup: { noun: 'product group', look: () => reviewctl`product-groups list` },
  createCategory: { noun: 'category', look: () => 'the pages of the service show it' },
  updateOrder: order,
  addOrderItem: order,
  updateOrderItem: {
    noun: 'order item',
    look: () => reviewctl`orders get ORDER_ID --fields items`,
    restore: 'order-items update',
  },
  updateReview: { noun: 'review', look: (id) => reviewctl`reviews get ${id}` },
  updateReward: { noun: 'reward', look: (id) => reviewctl`rewards get ${id}` },
};

function otherHint(look: HintText | undefined): HintText {
  const where = look === undefined ? '' : hint`: ${look}`;
  return hint`correct the id or the originId of this row, and restore what it changed${where}`;
}

function lookHint(look: HintText | undefined): HintText {
  const where = look === undefined ? '' : hint`: ${look}`;
  return hint`look at it${where}; if it is right there, continue with -c write-reply=earlier, so that no
    reply to a write is compared; otherwise ask the operator of the service about this field`;
}

/** The flags that restore fields which changed without being sent. */
function restoringFlags(write: Write, unsent: readonly ReplyDifference[]): readonly string[] {
  const kept = keptFields(write);
  const changed = new Set(unsent.map(({ field }) => field.split('.')[0] ?? ''));
  const { productOriginId } = isJsonObject(write.body) ? write.body : {};
  return [
    ...(productOriginId === undefined ? [] : flagsOf('productOriginId', productOriginId)),
    ...[...changed].flatMap((name) => flagsOf(name, kept[name] ?? null)),
  ];
}

function flagsOf(name: string, value: Json): readonly string[] {
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([inner, part]) =>
      part == null ? [] : flagsOf(`${name}-${inner}`, part),
    );
  }
  return [`--${kebabCase(name)}`, typeof value === 'string' ? value : JSON.stringify(value)];
}

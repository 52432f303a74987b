import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Api } from '../../client/caller.ts';
import type { Entry, ProductRecord } from '../../input/records/record-kinds.ts';
import type { UndoLog } from '../../store/runs/undo-log.ts';
import { decideProduct, type ProductEntry, type ProductRules } from '../decide/decide-product.ts';
import { createProductLookup } from '../lookup/find-products.ts';
import { createLostCreations } from '../lookup/lost-creations.ts';
import { observeProducts } from '../lookup/observe-products.ts';
import { createGroupNames, createProductGroups } from '../lookup/product-groups.ts';
import { createProductWriter } from '../send/product-writer.ts';
import { sendProduct } from '../send/send-product.ts';
import { createBreaker, finishedBy } from '../steps/breaker.ts';
import { createFirstAlone } from '../steps/first-alone.ts';
import type { ProductJournal } from '../steps/product-journal.ts';
import { type PushFlow, singleRequests } from '../steps/push-flow.ts';
import { runSteps, type StepOptions } from '../steps/run-steps.ts';

export interface ProductsPush extends StepOptions, Omit<ProductRules, 'assumptions'> {
  readonly api: Api;
  readonly clock: Clock;
  readonly random: Random;
  /** To send, recovered, and the run lock of products held. */
  readonly journal: ProductJournal;
  readonly undoLog: UndoLog;
}

/**
 * Creates products the service does not have and changes what differs in those it has (API 4.1, 4.2, 4.4), by originId.
 * What is the same is not written. A product of which a creation may have arrived, in this run or an earlier one, is
 * looked for, and created again only if the service has shown in this run that it does not have it, or if a person says
 * so with `resend`.
 */
export function productsFlow(push: ProductsPush): PushFlow<Entry<ProductRecord>, ProductEntry> {
  const { api } = push;
  const breaker = createBreaker();
  const lookup = createProductLookup(api);
  const groups = createProductGroups(api);
  const found = { ...push, breaker, lookup, groups };
  return {
    ...singleRequests,
    originIdOf: ({ record }) => record.originId,
    settled: (outcome) => ({ outcome }),
    decide: async function* (batches) {
      const rules = { ...push, assumptions: api.assumptions };
      const newGroups = createGroupNames();
      for await (const observed of observeProducts(found, batches))
        yield observed.map((product) => decideProduct(product, rules, newGroups));
    },
    send: (steps) => {
      const lost = createLostCreations(found);
      const writer = createProductWriter({ ...found, lost });
      const [firstCreation, firstUpdate] = [createFirstAlone(), createFirstAlone()];
      const sending = { ...found, writer, lost, firstCreation, firstUpdate };
      // Each holds its place until it is on record: those that are answered together then begin together, and share
      // their commits.
      const outcomes = runSteps(steps, push, async (step, report, { setAside }) => {
        report(await sendProduct(sending, step, setAside));
        breaker.check();
      });
      return finishedBy(breaker, outcomes);
    },
  };
}

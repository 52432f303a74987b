import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isJsonObject, type Json } from '../../src/base/json.ts';
import { documentedOperations } from '../../src/contract/operations.ts';
import { textOf } from '../../src/output/views/fields.ts';
import { personaNames, personas, sandboxAs } from '../../src/sandbox/personas.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { type ServedSandbox, serveSandbox } from '../../src/sandbox/serve.ts';
import { assumptionVariables } from '../assumption-variables.ts';
import { serveHttp } from '../client/loopback.ts';
import { readWireExamples } from '../contract/wire-examples.ts';
import { ManualClock } from '../sandbox/manual-clock.ts';
import { environmentAt, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const folder = temporaryFolder();
const everyOperation = Object.keys(documentedOperations);

/** Splits a command line into words; `|` is a blank within a word. */
function words(line: string): string[] {
  return line
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll('|', ' '));
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

type Run = (argv: readonly string[]) => Promise<string>;

/** Runs commands against a service with the assumptions of `client`. */
function runOn(service: Pick<ServedSandbox, 'baseUrl' | 'token'>, client: readonly string[] = []): Run {
  const env = { ...environmentAt(folder, service), ...assumptionVariables(client) };
  return async (argv) => expectEnd(await runInProcess(argv, { env }), 0).stdout;
}

/** The part of the output that a command and `api` share: records, or the jobs of a bulk creation. */
function recordsIn(stdout: string): readonly Json[] {
  const printed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  return printed.flatMap(recordsOf).map((record) => {
    if (!isJsonObject(record) || record['jobId'] === undefined) return record;
    return { originId: record['originId'] ?? record['entryOriginId'], jobId: textOf(record['jobId']) };
  });
}

function recordsOf(printed: Json): readonly Json[] {
  const page = isJsonObject(printed) ? printed['data'] : printed;
  return Array.isArray(page) ? page : [printed];
}

/** Ids only: for a review that is shown or hidden, `api` prints the review and the command prints an outcome. */
function idsOf(records: readonly Json[]): readonly Json[] {
  return records.map((record) => (isJsonObject(record) ? textOf(record['id']) : null));
}

/** The input for the first wire example of each operation, in which every field and parameter is set. */
const walk: Readonly<Record<string, { readonly command: string; readonly params?: string }>> = {
  createProduct: {
    command: `products create --origin-id SKU-001 --name 브라운|가죽|지갑|"S" --image-url https://img.example.com/1.jpg
      --categories {"originId":"wallets","isPrimary":true} --categories {"originId":"gifts","isPrimary":false}
      --group-id pg_1 --group-name 지갑 --is-alimtalk-enabled false --is-review-disabled true`,
  },
  listProducts: {
    command: `products list --sort REVIEW_COUNT --direction ASC --after Y3Vyc29y+/= --product-group-ids pg_1,pg_2
      --is-alimtalk-enabled false --origin-ids SKU-001,가|1`,
  },
  getProduct: { command: 'products get p/1|가?', params: 'productId=p/1|가?' },
  updateProduct: {
    command: `products update pr_1 --name 지갑 --image-url https://img.example.com/2.jpg --group-id pg_2
      --categories {"originId":"wallets","isPrimary":true} --is-alimtalk-enabled true --is-review-disabled false`,
    params: 'productId=pr_1',
  },
  listProductGroups: {
    command: 'product-groups list --ordering -created_at -c page-size=1 --after pg_9 --name 지갑|&|벨트',
  },
  addProductToGroup: {
    command: 'product-groups add-product pg_1 pr_1',
    params: 'productGroupId=pg_1 productId=pr_1',
  },
  createCategory: {
    command: `categories create --origin-id wallets --name 지갑 --is-visible false --position 3
      --parent-origin-id leather --is-review-disabled true`,
  },
  bulkCreateCategories: {
    command: `categories push ${file('categories.csv', 'originId,name\nwallets,지갑\nbelts,벨트\n')}`,
  },
  getOrder: { command: 'orders get or_1', params: 'orderId=or_1' },
  updateOrder: {
    command: `orders update or_1 --member-origin-id m-77 --ordered-at 2019-08-24T14:15:22Z --buyer-name 김수
      --buyer-phone 010-1234-5678 --buyer-email kim@example.com --recipient-name 이영 --recipient-phone 01098765432
      --alimtalk-template-code T-1
      --items {"originId":"20190824-0001-1","productOriginId":"SKU-001","status":"DELIVERED","selectedOptions":[{"name":"색상","value":"브라운"}],"paidPrice":6300,"shipment":{"companyCode":"kr.cjlogistics","trackingNumber":"0012345678","deliveredAt":"2019-08-26T10:00:00Z"}}`,
    params: 'orderId=or_1',
  },
  addOrderItem: {
    command: `orders add-item or_1 --origin-id 20190824-0001-2 --product-origin-id SKU-001 --status exchange
      --selected-options 색상=브라운 --selected-options 사이즈=L --paid-price 12.5 --shipment-company-code self
      --shipment-tracking-number 0012345678 --shipment-delivered-at 2019-08-26T10:00:00Z`,
    params: 'orderId=or_1',
  },
  getOrderItem: { command: 'order-items get or_1 oi_1', params: 'orderId=or_1 orderItemId=oi_1' },
  updateOrderItem: {
    command: `order-items update oi_1 --product-origin-id SKU-001 --status CANCEL --selected-options 색상=브라운 --paid-price 0
      --shipment-company-code self --shipment-tracking-number 0012345678 --shipment-delivered-at 2019-08-26T10:00:00Z`,
    params: 'orderItemId=oi_1',
  },
  bulkCreateOrderItems: {
    command: `orders push ${file(
      'orders.csv',
      'orderOriginId,originId,productOriginId\n20190824-0001,20190824-0001-1,SKU-001\n20190824-0001,20190824-0001-2,0001\n',
    )}`,
  },
  listReviews: {
    command: `reviews list --sort REVIEW_TYPE --direction DESC -c page-size=30 --after re_0 --content-types VIDEO,IMAGE
      --ratings 1,5 --text 맛있다|&|100%+ --product-origin-ids SKU-001 --product-name 지갑
      --order-origin-ids 20190824-0001,20190824-0002 --order-member-origin-id m-77 --order-name 김수
      --order-phone 010-1234-5678 --is-visible true --is-blocked false --is-fixed true --is-rewarded false
      --is-commented true --is-reported false --upload-froms CHATBOT --created-at-start 2019-08-24T14:15:22Z
      --created-at-end 2019-08-25T00:00:00+09:00 --edited-at-start 2019-08-24T00:00Z --edited-at-end 2019-08-25T00:00Z
      --updated-at-start 2019-08-24T14:15:22.123Z --updated-at-end 2019-08-25T14:15Z`,
  },
  getReview: { command: 'reviews get re_1', params: 'reviewId=re_1' },
  updateReview: { command: 'reviews hide re_1', params: 'reviewId=re_1' },
  listRewards: {
    command: `rewards list -c page-size=100 --after rw_0 --status QUEUED --review-categories VIDEO,TEXT
      --created-at-start 2019-08-24T00:00:00Z --created-at-end 2019-08-25T00:00:00Z
      --updated-at-start 2019-08-26T00:00:00Z --updated-at-end 2019-08-27T00:00:00Z`,
  },
  updateReward: { command: 'rewards update rw_1 --status SUCCESS --yes', params: 'rewardId=rw_1' },
};

/**
 * The request of the first wire example of an operation. List commands differ from the document on purpose in two
 * values: a comma separates the elements of a list, and a date is written in full with its zone.
 */
function exampleOf(operation: string) {
  const [example] = readWireExamples().find((examples) => examples.operation === operation)?.examples ?? [];
  if (example === undefined) throw new Error(`no wire example of ${operation}`);
  const { method, path, body = '' } = example.request;
  const url = path
    .replace('&originIds=a%2Cb', '')
    .replace('editedAtStart=2019-08-24&', 'editedAtStart=2019-08-24T00%3A00Z&')
    .replace('editedAtEnd=2019-08-25&', 'editedAtEnd=2019-08-25T00%3A00Z&');
  const reply = JSON.stringify(example.reply).replace('"originId":"a,b"', '"originId":"SKU-001"');
  return { request: { method, url, body }, reply: endedReply(JSON.parse(reply)) };
}

/** A final reply: a list without another page, a job that has not failed. */
function endedReply(reply: Json): Json {
  if (isJsonObject(reply) && reply['pageInfo'] !== undefined) {
    return { ...reply, pageInfo: { hasNextPage: false, endCursor: null } };
  }
  if (!Array.isArray(reply)) return reply;
  return reply.map(({ jobId, entryOriginId }) => ({
    jobId: String(jobId),
    status: 'PENDING',
    entryOriginId,
  }));
}

/** The same request as arguments of `api`. */
function apiArguments(operation: string, { url, body }: { readonly url: string; readonly body: string }) {
  const { search } = new URL(url, 'http://localhost');
  const query = [...new URLSearchParams(search)].flatMap(([name, value]) => ['--query', `${name}=${value}`]);
  const params = words(walk[operation]?.params ?? '').filter((word) => word !== '');
  return [
    'api',
    operation,
    ...params.flatMap((pair) => ['--param', pair]),
    ...query,
    ...(body === '' ? [] : ['--body', body]),
    '--yes',
  ];
}

describe('each of the 19 operations, by its own command and by api', () => {
  it('is walked', () => {
    expect(Object.keys(walk)).toEqual(everyOperation);
    expect(everyOperation).toHaveLength(19);
  });

  it.each(everyOperation)(
    'is the same request to a bare server, byte for byte that of the document: %s',
    async (operation) => {
      const { request, reply } = exampleOf(operation);
      // A command that reads a review first must find the opposite visibility.
      const before = isJsonObject(reply) ? { ...reply, isVisible: !reply['isVisible'] } : reply;
      const { url, seen } = await serveHttp((incoming, outgoing) => {
        const answer = incoming.method === request.method ? reply : before;
        outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
      const run = runOn({ baseUrl: url, token: 'a-token' });
      const byCommand = await run(words(walk[operation]?.command ?? ''));
      const byApi = await run(apiArguments(operation, request));
      const sent = seen.filter(({ method }) => method === request.method);
      expect(sent.map(({ method, url, body }) => ({ method, url, body }))).toEqual([request, request]);
      const [command, api] = [recordsIn(byCommand), recordsIn(byApi)];
      if (operation === 'updateReview') expect(idsOf(command)).toEqual(idsOf(api));
      else expect(command).toEqual(api);
    },
  );

  const services = [
    { service: 'the sandbox', options: {}, client: [] },
    ...personaNames.map((name) => ({
      service: `a service like ${name}`,
      options: sandboxAs(name),
      client: personas[name].client,
    })),
  ];

  it.each(services)(
    'does the same to two of them, prints the same records and leaves the same behind: $service',
    async ({ options, client }) => {
      const [one, other] = [await servedSandbox(options), await servedSandbox(options)];
      const [run, runApi] = [runOn(one, client), runOn(other, client)];
      const ids = await knownIds(run);
      // Faults are drawn once a request, so both services must receive the same requests.
      expect(await knownIds(runApi)).toEqual(ids);
      const walked: string[] = [];
      for (const step of sandboxWalk(ids)) {
        const byCommand = recordsIn(await run(words(step.command)));
        const byApi = recordsIn(await runApi(words(`api ${step.api} --yes`)));
        walked.push(words(step.api)[0] ?? '');
        expect({ step, ids: idsOf(byCommand) }).toEqual({ step, ids: idsOf(byApi) });
        if (!step.api.startsWith('updateReview')) expect(byCommand).toEqual(byApi);
        expect(byCommand.length).toBeGreaterThan(0);
      }
      expect(walked.toSorted()).toEqual(everyOperation.toSorted());
      expect(await everything(run)).toEqual(await everything(runApi));
    },
  );
});

/** Starts a sandbox; one with the same options behaves identically. */
async function servedSandbox(options: SandboxOptions): Promise<ServedSandbox> {
  const served = await serveSandbox({
    port: 0,
    token: 'a-token',
    clock: new ManualClock(),
    products: 12,
    orders: 12,
    reviews: 12,
    ...options,
  });
  onTestFinished(() => served.close());
  return served;
}

type Named = { readonly id: string };

/** Ids of the seeded data that the walk uses. */
async function knownIds(run: Run) {
  const first = async (command: string) => recordsIn(await run(words(`${command} --limit 1`)))[0];
  const review = (await first('reviews list')) as {
    readonly id: string;
    readonly order: Named;
    readonly orderItem: Named;
    readonly product: Named & { readonly originId: string };
  };
  const [group, reward] = [await first('product-groups list'), await first('rewards list --status QUEUED')];
  return {
    review: review.id,
    order: review.order.id,
    item: review.orderItem.id,
    product: review.product.id,
    productOrigin: review.product.originId,
    group: (group as Named).id,
    reward: (reward as Named).id,
  };
}

function sandboxWalk(ids: Awaited<ReturnType<typeof knownIds>>) {
  const { review, order, item, product, productOrigin, group, reward } = ids;
  const categories = file('more-categories.csv', 'originId,name\nhats,모자\n');
  const orders = file(
    'more-orders.csv',
    `orderOriginId,originId,productOriginId\nO-1,O-1-1,${productOrigin}\n`,
  );
  const step = (command: string, api: string) => ({ command, api });
  return [
    step(
      'categories create --origin-id mugs --name 머그',
      'createCategory --body {"originId":"mugs","name":"머그"}',
    ),
    step(`categories push ${categories}`, 'bulkCreateCategories --body [{"originId":"hats","name":"모자"}]'),
    step(
      `products create --origin-id M-1 --name 머그 --categories mugs --group-id ${group}`,
      `createProduct --body {"originId":"M-1","name":"머그","categories":[{"originId":"mugs"}],"groupId":"${group}"}`,
    ),
    step('products list --sort NAME', 'listProducts --query sort=NAME --query first=100'),
    step(`products get ${product}`, `getProduct --param productId=${product}`),
    step(
      `products update ${product} --name 새|이름 --is-review-disabled true`,
      `updateProduct --param productId=${product} --body {"name":"새|이름","isReviewDisabled":true}`,
    ),
    step('product-groups list', 'listProductGroups --query first=100'),
    step(
      `product-groups add-product ${group} ${product}`,
      `addProductToGroup --param productGroupId=${group} --param productId=${product}`,
    ),
    step(`orders get ${order}`, `getOrder --param orderId=${order}`),
    step(
      `orders update ${order} --alimtalk-template-code null --buyer-name 김 --buyer-phone 0 --buyer-email k@x.kr`,
      `updateOrder --param orderId=${order} --body {"buyer":{"name":"김","phone":"0","email":"k@x.kr"},"alimtalkTemplateCode":null}`,
    ),
    step(
      `orders add-item ${order} --origin-id new-1 --product-origin-id M-1 --paid-price 12.5`,
      `addOrderItem --param orderId=${order} --body {"originId":"new-1","productOriginId":"M-1","paidPrice":12.5}`,
    ),
    step(
      `order-items get ${order} ${item}`,
      `getOrderItem --param orderId=${order} --param orderItemId=${item}`,
    ),
    step(
      `order-items update ${item} --product-origin-id ${productOrigin} --status RETURN`,
      `updateOrderItem --param orderItemId=${item} --body {"productOriginId":"${productOrigin}","status":"RETURN"}`,
    ),
    step(
      `orders push ${orders}`,
      `bulkCreateOrderItems --body [{"orderOriginId":"O-1","originId":"O-1-1","productOriginId":"${productOrigin}"}]`,
    ),
    step('reviews list --is-visible true', 'listReviews --query isVisible=true --query first=100'),
    step(`reviews get ${review}`, `getReview --param reviewId=${review}`),
    step(`reviews hide ${review}`, `updateReview --param reviewId=${review} --body {"isVisible":false}`),
    step('rewards list --status QUEUED', 'listRewards --query status=QUEUED --query first=100'),
    step(
      `rewards update ${reward} --status CANCELLED --yes`,
      `updateReward --param rewardId=${reward} --body {"status":"CANCELLED"}`,
    ),
  ];
}

/** Everything that the lists of a sandbox show; reviews include their orders. */
async function everything(run: Run): Promise<readonly Json[]> {
  const lists = ['products list', 'product-groups list', 'reviews list', 'rewards list'];
  const printed: Json[] = [];
  for (const list of lists) printed.push(...recordsIn(await run(words(list))));
  return printed;
}

import type { CommandDefinition } from '../runtime/command.ts';

/** A command in the overview; its code is loaded on its call, or for its help. */
export interface CommandEntry {
  readonly summary: string;
  /**
   * The systems it may change: `service` means systems beyond this machine (the service, or a payer), `machine` only
   * profiles, records and ledgers here, `nothing` neither of them.
   */
  readonly writes: 'service' | 'machine' | 'nothing';
  /** The name of the schema of its records. */
  readonly prints: string | undefined;
  load(): Promise<{ readonly command: CommandDefinition }>;
}

/** The summary of each noun, for the overview. */
export const nouns: Readonly<Record<string, string>> = {
  products: 'the catalog',
  'product-groups': 'groups of products',
  categories: 'categories of the catalog',
  orders: 'orders and their items',
  'order-items': 'items that already exist at the service',
  reviews: 'reviews written by consumers',
  rewards: 'rewards owed for reviews',
  payer: 'the program or service that pays rewards',
  ledger: 'the record of payments and of their reports to the service',
  jobs: 'asynchronous jobs of the service',
  runs: 'past pushes and their results',
  plan: 'plans: files that hold decided changes or payments',
  report: 'pages to look at, each one file that needs no network',
  state: 'what earlier runs recorded: journal, runs, positions of lists',
  profile: 'stored settings, one profile per shop',
  config: 'effective settings and their sources',
  sandbox: 'the whole service on this machine',
};

/** Second names of commands, mapped to their first ones. */
export const secondNames: ReadonlyMap<string, string> = new Map([['reviews show', 'reviews publish']]);

function entriesThatWrite(writes: CommandEntry['writes']) {
  return (summary: string, load: CommandEntry['load'], prints?: string): CommandEntry => ({
    summary,
    writes,
    prints,
    load,
  });
}

const reads = entriesThatWrite('nothing');
const writesHere = entriesThatWrite('machine');
const writesToService = entriesThatWrite('service');
const inspects = 'show how files are read, and print the command that pushes them';

/** Every command by its words. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  'products inspect': reads(inspects, () => import('./products/inspect.ts')),
  'products push': writesToService(
    'create products from files, and update what differs',
    () => import('./products/push.ts'),
    'outcome',
  ),
  'products list': reads('list products', () => import('./products/list.ts'), 'product'),
  'products get': reads('show one product', () => import('./products/get.ts'), 'product'),
  'products create': writesToService('create one product', () => import('./products/create.ts'), 'product'),
  'products update': writesToService('change one product', () => import('./products/update.ts'), 'product'),
  'product-groups list': reads(
    'list product groups',
    () => import('./product-groups/list.ts'),
    'product-group',
  ),
  'product-groups add-product': writesToService(
    'add a product to a group',
    () => import('./product-groups/add-product.ts'),
    'product-group',
  ),
  'categories inspect': reads(inspects, () => import('./categories/inspect.ts')),
  'categories push': writesToService(
    'create categories from files',
    () => import('./categories/push.ts'),
    'outcome',
  ),
  'categories create': writesToService(
    'create one category',
    () => import('./categories/create.ts'),
    'category',
  ),
  'orders inspect': reads(inspects, () => import('./orders/inspect.ts')),
  'orders push': writesToService(
    'create order items, or whole orders, from files',
    () => import('./orders/push.ts'),
    'outcome',
  ),
  'orders get': reads('show one order with its items', () => import('./orders/get.ts'), 'order'),
  'orders update': writesToService('change one order', () => import('./orders/update.ts'), 'order'),
  'orders add-item': writesToService(
    'add an item to an order',
    () => import('./orders/add-item.ts'),
    'order',
  ),
  'order-items push': writesToService(
    'change status, price, options and shipment of existing items from files',
    () => import('./order-items/push.ts'),
    'outcome',
  ),
  'order-items inspect': reads(inspects, () => import('./order-items/inspect.ts')),
  'order-items get': reads('show one item of an order', () => import('./order-items/get.ts'), 'order-item'),
  'order-items update': writesToService(
    'change one item',
    () => import('./order-items/update.ts'),
    'order-item',
  ),
  'reviews list': reads('list reviews', () => import('./reviews/list.ts'), 'review'),
  'reviews get': reads('show single reviews', () => import('./reviews/get.ts'), 'review'),
  'reviews publish': writesToService(
    'make reviews visible to consumers',
    () => import('./reviews/publish.ts'),
    'review-outcome',
  ),
  'reviews hide': writesToService(
    'hide reviews from consumers',
    () => import('./reviews/hide.ts'),
    'review-outcome',
  ),
  'reviews stats': reads(
    'count reviews by rating, product and month',
    () => import('./reviews/stats.ts'),
    'review-statistic',
  ),
  'rewards list': reads('list rewards', () => import('./rewards/list.ts'), 'reward'),
  'rewards get': reads('show one reward', () => import('./rewards/get.ts'), 'reward'),
  'rewards update': writesToService(
    'set the status of one reward, bypassing the ledger',
    () => import('./rewards/update.ts'),
    'reward',
  ),
  'rewards settle': writesToService(
    'pay every QUEUED reward at most once, and report its outcome reliably',
    () => import('./rewards/settle.ts'),
    'reward-outcome',
  ),
  'payer check': writesToService(
    'test a payer with one small payment, requested twice with the same key',
    () => import('./payer/check.ts'),
    'payer-call',
  ),
  'rewards listen': writesToService(
    'serve the reward webhook: pay each reward and answer with its outcome',
    () => import('./rewards/listen.ts'),
  ),
  'rewards export': writesHere(
    'write rewards to a file for a person to pay',
    () => import('./rewards/export.ts'),
    'reward-outcome',
  ),
  'rewards import': writesToService(
    'import the outcomes of an exported file, and report them to the service',
    () => import('./rewards/import.ts'),
    'reward-outcome',
  ),
  'ledger init': writesHere(
    'create the ledger of a shop, before its first settlement',
    () => import('./ledger/init.ts'),
    'new-ledger',
  ),
  'ledger status': reads(
    'show totals by state, and what needs attention',
    () => import('./ledger/status.ts'),
    'ledger-status',
  ),
  'ledger list': reads('list the rewards in the ledger', () => import('./ledger/list.ts'), 'ledger-entry'),
  'ledger export': reads('export payments as bookings, for month-end', () => import('./ledger/export.ts')),
  'ledger show': reads(
    'show one reward in the ledger and its history',
    () => import('./ledger/show.ts'),
    'ledger-entry',
  ),
  'ledger resolve': writesToService(
    'record the outcome of payments whose outcome is unknown, or that the payer took back',
    () => import('./ledger/resolve.ts'),
    'ledger-resolution',
  ),
  'ledger reconcile': reads(
    'compare the ledger with the service and with the statement of the payer',
    () => import('./ledger/reconcile.ts'),
    'ledger-difference',
  ),
  'ledger verify': reads('check the integrity of the ledger', () => import('./ledger/verify.ts')),
  'ledger freeze': writesHere('block all payments', () => import('./ledger/freeze.ts')),
  'ledger accept': writesHere(
    'put a ledger into use: frozen if it was restored, at once with --complete',
    () => import('./ledger/accept.ts'),
  ),
  'ledger unfreeze': writesHere('allow payments again', () => import('./ledger/unfreeze.ts')),
  'ledger backup': writesHere('copy the ledger, even while it is in use', () => import('./ledger/backup.ts')),
  'jobs list': reads(
    'list the jobs of past pushes with their last known state',
    () => import('./jobs/list.ts'),
    'stored-job',
  ),
  'jobs wait': writesHere(
    'wait until all pending jobs have ended',
    () => import('./jobs/wait.ts'),
    'stored-job',
  ),
  'runs list': reads('list past pushes', () => import('./runs/list.ts'), 'run'),
  'runs show': reads('show one push', () => import('./runs/show.ts'), 'run'),
  'runs rejects': reads(
    'list the records that were rejected or failed',
    () => import('./runs/rejects.ts'),
    'outcome',
  ),
  'runs undo': writesToService(
    'restore the values a run replaced, unless they have changed since',
    () => import('./runs/undo.ts'),
    'outcome',
  ),
  'runs prune': writesHere(
    'remove old runs from the record, but none that is still needed',
    () => import('./runs/prune.ts'),
    'pruned-run',
  ),
  'runs resolve': writesHere(
    'record whether records with an unknown outcome reached the service',
    () => import('./runs/resolve.ts'),
    'record-resolution',
  ),
  'report run': reads('write a page on one push', () => import('./report/run.ts')),
  'report reviews': reads(
    'write a page on ratings by product and month, the worst first',
    () => import('./report/reviews.ts'),
  ),
  'report ledger': reads(
    'write a page on a month of payments, and what is held or unknown now',
    () => import('./report/ledger.ts'),
  ),
  login: writesHere('verify and store the address and credential of a service', () => import('./login.ts')),
  logout: writesHere('remove the credential from this machine', () => import('./logout.ts')),
  'plan show': reads('show what a plan would send or pay', () => import('./plan/show.ts'), 'planned-record'),
  'profile list': reads('list the profiles', () => import('./profile/list.ts'), 'profile'),
  'profile use': writesHere('choose the default profile', () => import('./profile/use.ts')),
  'state move': writesHere(
    'move the state from the folder of this machine to a database',
    () => import('./state/move.ts'),
  ),
  'profile delete': writesHere('delete a profile from this machine', () => import('./profile/delete.ts')),
  'profile show': reads('show the settings of a profile', () => import('./profile/show.ts'), 'setting'),
  'config list': reads('list settings and their sources', () => import('./config/list.ts'), 'setting'),
  'config get': reads('print the value of a setting', () => import('./config/get.ts')),
  'config set': writesHere('change a setting of a profile', () => import('./config/set.ts')),
  'config unset': writesHere('remove settings of a profile', () => import('./config/unset.ts')),
  'config path': reads('print the path of the profiles', () => import('./config/path.ts')),
  'sandbox serve': writesHere(
    'run the service of the API document on this machine',
    () => import('./sandbox/serve.ts'),
  ),
  'sandbox write-review': writesToService(
    'write a review as a consumer of a running sandbox',
    () => import('./sandbox/write-review.ts'),
    'written-review',
  ),
  'sandbox advance': writesToService(
    'move the clock of a running sandbox forward',
    () => import('./sandbox/advance.ts'),
  ),
  'sandbox resend': writesToService(
    'send rewards of a running sandbox to the webhook again',
    () => import('./sandbox/resend.ts'),
  ),
  'sandbox fault': writesToService(
    'set or show the faults of a running sandbox',
    () => import('./sandbox/fault.ts'),
  ),
  'sandbox hints': reads(
    'show the answers of webhook receivers to a running sandbox',
    () => import('./sandbox/hints.ts'),
  ),
  api: writesToService('call any operation of the API document by its name', () => import('./api.ts')),
  schema: reads('print the JSON Schema of input and output', () => import('./schema.ts')),
  completion: reads('print the completion script of a shell', () => import('./completion.ts')),
  template: reads('print a CSV to fill in, with an example row', () => import('./template.ts')),
  status: reads('show what needs a person today, over all nouns', () => import('./status.ts'), 'status-line'),
  doctor: reads(
    'check settings, connection, credential, clock and versions',
    () => import('./doctor.ts'),
    'check',
  ),
  demo: writesHere('demonstrate the tool on a temporary sandbox, in seconds', () => import('./demo.ts')),
};

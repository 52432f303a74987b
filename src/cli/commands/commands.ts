import type { CommandDefinition } from '../runtime/command.ts';

/** A command as the overview shows it; its code is loaded when it is called, or its help is. */
export interface CommandEntry {
  readonly summary: string;
  /**
   * What it may change: `service` what lies beyond this machine (the service, or a payer), `machine` only profiles,
   * records and ledgers here, `nothing` neither of them.
   */
  readonly writes: 'service' | 'machine' | 'nothing';
  /** The name of the schema of the records that it prints. */
  readonly prints?: string;
  load(): Promise<{ readonly command: CommandDefinition }>;
}

/** What each noun is, for the overview. */
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

/** Commands that may be called by other words, too: each by those words. */
export const secondNames: ReadonlyMap<string, string> = new Map([['reviews show', 'reviews publish']]);

/** Every command by the words that call it. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  'products inspect': {
    summary: 'show how files are read, and print the command that pushes them',
    writes: 'nothing',
    load: () => import('./products/inspect.ts'),
  },
  'products push': {
    summary: 'create products from files, and update what differs',
    writes: 'service',
    prints: 'outcome',
    load: () => import('./products/push.ts'),
  },
  'products list': {
    summary: 'list products',
    writes: 'nothing',
    prints: 'product',
    load: () => import('./products/list.ts'),
  },
  'products get': {
    summary: 'show one product',
    writes: 'nothing',
    prints: 'product',
    load: () => import('./products/get.ts'),
  },
  'products create': {
    summary: 'create one product',
    writes: 'service',
    prints: 'product',
    load: () => import('./products/create.ts'),
  },
  'products update': {
    summary: 'change one product',
    writes: 'service',
    prints: 'product',
    load: () => import('./products/update.ts'),
  },
  'product-groups list': {
    summary: 'list product groups',
    writes: 'nothing',
    prints: 'product-group',
    load: () => import('./product-groups/list.ts'),
  },
  'product-groups add-product': {
    summary: 'add a product to a group',
    writes: 'service',
    prints: 'product-group',
    load: () => import('./product-groups/add-product.ts'),
  },
  'categories inspect': {
    summary: 'show how files are read, and print the command that pushes them',
    writes: 'nothing',
    load: () => import('./categories/inspect.ts'),
  },
  'categories push': {
    summary: 'create categories from files',
    writes: 'service',
    prints: 'outcome',
    load: () => import('./categories/push.ts'),
  },
  'categories create': {
    summary: 'create one category',
    writes: 'service',
    prints: 'category',
    load: () => import('./categories/create.ts'),
  },
  'orders inspect': {
    summary: 'show how files are read, and print the command that pushes them',
    writes: 'nothing',
    load: () => import('./orders/inspect.ts'),
  },
  'orders push': {
    summary: 'create order items, or whole orders, from files',
    writes: 'service',
    prints: 'outcome',
    load: () => import('./orders/push.ts'),
  },
  'orders get': {
    summary: 'show one order with its items',
    writes: 'nothing',
    prints: 'order',
    load: () => import('./orders/get.ts'),
  },
  'orders update': {
    summary: 'change one order',
    writes: 'service',
    prints: 'order',
    load: () => import('./orders/update.ts'),
  },
  'orders add-item': {
    summary: 'add an item to an order',
    writes: 'service',
    prints: 'order',
    load: () => import('./orders/add-item.ts'),
  },
  'order-items push': {
    summary: 'change status, price, options and shipment of existing items from files',
    writes: 'service',
    prints: 'outcome',
    load: () => import('./order-items/push.ts'),
  },
  'order-items inspect': {
    summary: 'show how files are read, and print the command that pushes them',
    writes: 'nothing',
    load: () => import('./order-items/inspect.ts'),
  },
  'order-items get': {
    summary: 'show one item of an order',
    writes: 'nothing',
    prints: 'order-item',
    load: () => import('./order-items/get.ts'),
  },
  'order-items update': {
    summary: 'change one item',
    writes: 'service',
    prints: 'order-item',
    load: () => import('./order-items/update.ts'),
  },
  'reviews list': {
    summary: 'list reviews',
    writes: 'nothing',
    prints: 'review',
    load: () => import('./reviews/list.ts'),
  },
  'reviews get': {
    summary: 'show single reviews',
    writes: 'nothing',
    prints: 'review',
    load: () => import('./reviews/get.ts'),
  },
  'reviews publish': {
    summary: 'make reviews visible to consumers',
    writes: 'service',
    prints: 'review-outcome',
    load: () => import('./reviews/publish.ts'),
  },
  'reviews hide': {
    summary: 'hide reviews from consumers',
    writes: 'service',
    prints: 'review-outcome',
    load: () => import('./reviews/hide.ts'),
  },
  'reviews stats': {
    summary: 'count reviews by rating, product and month',
    writes: 'nothing',
    prints: 'review-statistic',
    load: () => import('./reviews/stats.ts'),
  },
  'rewards list': {
    summary: 'list rewards',
    writes: 'nothing',
    prints: 'reward',
    load: () => import('./rewards/list.ts'),
  },
  'rewards get': {
    summary: 'show one reward',
    writes: 'nothing',
    prints: 'reward',
    load: () => import('./rewards/get.ts'),
  },
  'rewards update': {
    summary: 'set the status of one reward, bypassing the ledger',
    writes: 'service',
    prints: 'reward',
    load: () => import('./rewards/update.ts'),
  },
  'rewards settle': {
    summary: 'pay every QUEUED reward at most once, and report its outcome reliably',
    writes: 'service',
    prints: 'reward-outcome',
    load: () => import('./rewards/settle.ts'),
  },
  'payer check': {
    summary: 'test a payer with one small payment, requested twice with the same key',
    writes: 'service',
    prints: 'payer-call',
    load: () => import('./payer/check.ts'),
  },
  'rewards listen': {
    summary: 'serve the reward webhook: pay each reward and answer with its outcome',
    writes: 'service',
    load: () => import('./rewards/listen.ts'),
  },
  'rewards export': {
    summary: 'write rewards to a file for a person to pay',
    writes: 'machine',
    prints: 'reward-outcome',
    load: () => import('./rewards/export.ts'),
  },
  'rewards import': {
    summary: 'import the outcomes of an exported file, and report them to the service',
    writes: 'service',
    prints: 'reward-outcome',
    load: () => import('./rewards/import.ts'),
  },
  'ledger init': {
    summary: 'create the ledger of a shop, before its first settlement',
    writes: 'machine',
    prints: 'new-ledger',
    load: () => import('./ledger/init.ts'),
  },
  'ledger status': {
    summary: 'show totals by state, and what needs attention',
    writes: 'nothing',
    prints: 'ledger-status',
    load: () => import('./ledger/status.ts'),
  },
  'ledger list': {
    summary: 'list the rewards in the ledger',
    writes: 'nothing',
    prints: 'ledger-entry',
    load: () => import('./ledger/list.ts'),
  },
  'ledger export': {
    summary: 'export payments as bookings, for month-end',
    writes: 'nothing',
    load: () => import('./ledger/export.ts'),
  },
  'ledger show': {
    summary: 'show one reward in the ledger and its history',
    writes: 'nothing',
    prints: 'ledger-entry',
    load: () => import('./ledger/show.ts'),
  },
  'ledger resolve': {
    summary: 'record the outcome of payments whose outcome is unknown, or that the payer took back',
    writes: 'service',
    prints: 'ledger-resolution',
    load: () => import('./ledger/resolve.ts'),
  },
  'ledger reconcile': {
    summary: 'compare the ledger with the service and with the statement of the payer',
    writes: 'nothing',
    prints: 'ledger-difference',
    load: () => import('./ledger/reconcile.ts'),
  },
  'ledger verify': {
    summary: 'check the integrity of the ledger',
    writes: 'nothing',
    load: () => import('./ledger/verify.ts'),
  },
  'ledger freeze': {
    summary: 'block all payments',
    writes: 'machine',
    load: () => import('./ledger/freeze.ts'),
  },
  'ledger accept': {
    summary: 'put a ledger into use: frozen if it was restored, at once with --complete',
    writes: 'machine',
    load: () => import('./ledger/accept.ts'),
  },
  'ledger unfreeze': {
    summary: 'allow payments again',
    writes: 'machine',
    load: () => import('./ledger/unfreeze.ts'),
  },
  'ledger backup': {
    summary: 'copy the ledger, even while it is in use',
    writes: 'machine',
    load: () => import('./ledger/backup.ts'),
  },
  'jobs list': {
    summary: 'list the jobs of past pushes with their last known state',
    writes: 'nothing',
    prints: 'stored-job',
    load: () => import('./jobs/list.ts'),
  },
  'jobs wait': {
    summary: 'wait until all pending jobs have ended',
    writes: 'machine',
    prints: 'stored-job',
    load: () => import('./jobs/wait.ts'),
  },
  'runs list': {
    summary: 'list past pushes',
    writes: 'nothing',
    prints: 'run',
    load: () => import('./runs/list.ts'),
  },
  'runs show': {
    summary: 'show one push',
    writes: 'nothing',
    prints: 'run',
    load: () => import('./runs/show.ts'),
  },
  'runs rejects': {
    summary: 'list the records that were rejected or failed',
    writes: 'nothing',
    prints: 'outcome',
    load: () => import('./runs/rejects.ts'),
  },
  'runs undo': {
    summary: 'restore the values a run replaced, unless they have changed since',
    writes: 'service',
    prints: 'outcome',
    load: () => import('./runs/undo.ts'),
  },
  'runs prune': {
    summary: 'remove old runs from the record, but none that is still needed',
    writes: 'machine',
    prints: 'pruned-run',
    load: () => import('./runs/prune.ts'),
  },
  'runs resolve': {
    summary: 'record whether records with an unknown outcome reached the service',
    writes: 'machine',
    prints: 'record-resolution',
    load: () => import('./runs/resolve.ts'),
  },
  'report run': {
    summary: 'write a page on one push, or on several as one',
    writes: 'nothing',
    load: () => import('./report/run.ts'),
  },
  'report reviews': {
    summary: 'write a page on ratings by product and month, and the words of the worst',
    writes: 'nothing',
    load: () => import('./report/reviews.ts'),
  },
  'report ledger': {
    summary: 'write a page on a month of payments, and what is held or unknown now',
    writes: 'nothing',
    load: () => import('./report/ledger.ts'),
  },
  login: {
    summary: 'verify and store the address and credential of a service',
    writes: 'machine',
    load: () => import('./login.ts'),
  },
  logout: {
    summary: 'remove the credential from this machine',
    writes: 'machine',
    load: () => import('./logout.ts'),
  },
  'plan show': {
    summary: 'show what a plan would send or pay',
    writes: 'nothing',
    prints: 'planned-record',
    load: () => import('./plan/show.ts'),
  },
  'profile list': {
    summary: 'list the profiles',
    writes: 'nothing',
    prints: 'profile',
    load: () => import('./profile/list.ts'),
  },
  'profile use': {
    summary: 'choose the default profile',
    writes: 'machine',
    load: () => import('./profile/use.ts'),
  },
  'state move': {
    summary: 'move what is on record in the folder of this machine to a database',
    writes: 'machine',
    load: () => import('./state/move.ts'),
  },
  'profile delete': {
    summary: 'delete a profile from this machine',
    writes: 'machine',
    load: () => import('./profile/delete.ts'),
  },
  'profile show': {
    summary: 'show the settings of a profile',
    writes: 'nothing',
    prints: 'setting',
    load: () => import('./profile/show.ts'),
  },
  'config list': {
    summary: 'list settings and their sources',
    writes: 'nothing',
    prints: 'setting',
    load: () => import('./config/list.ts'),
  },
  'config get': {
    summary: 'print the value of a setting',
    writes: 'nothing',
    load: () => import('./config/get.ts'),
  },
  'config set': {
    summary: 'change a setting of a profile',
    writes: 'machine',
    load: () => import('./config/set.ts'),
  },
  'config unset': {
    summary: 'remove settings of a profile',
    writes: 'machine',
    load: () => import('./config/unset.ts'),
  },
  'config path': {
    summary: 'print the path of the profiles',
    writes: 'nothing',
    load: () => import('./config/path.ts'),
  },
  'sandbox serve': {
    summary: 'run the service of the API document on this machine',
    writes: 'machine',
    load: () => import('./sandbox/serve.ts'),
  },
  'sandbox write-review': {
    summary: 'write a review as a consumer of a running sandbox',
    writes: 'service',
    prints: 'written-review',
    load: () => import('./sandbox/write-review.ts'),
  },
  'sandbox advance': {
    summary: 'move the clock of a running sandbox forward',
    writes: 'service',
    load: () => import('./sandbox/advance.ts'),
  },
  'sandbox resend': {
    summary: 'send rewards of a running sandbox to the webhook again',
    writes: 'service',
    load: () => import('./sandbox/resend.ts'),
  },
  'sandbox fault': {
    summary: 'set or show the faults of a running sandbox',
    writes: 'service',
    load: () => import('./sandbox/fault.ts'),
  },
  'sandbox hints': {
    summary: 'show the answers of webhook receivers to a running sandbox',
    writes: 'nothing',
    load: () => import('./sandbox/hints.ts'),
  },
  api: {
    summary: 'call any operation of the API document by its name',
    writes: 'service',
    load: () => import('./api.ts'),
  },
  schema: {
    summary: 'print the JSON Schema of input and output',
    writes: 'nothing',
    load: () => import('./schema.ts'),
  },
  completion: {
    summary: 'print the completion script of a shell',
    writes: 'nothing',
    load: () => import('./completion.ts'),
  },
  template: {
    summary: 'print a CSV to fill in, with an example row',
    writes: 'nothing',
    load: () => import('./template.ts'),
  },
  status: {
    summary: 'show what needs a person today, over all nouns',
    writes: 'nothing',
    prints: 'status-line',
    load: () => import('./status.ts'),
  },
  doctor: {
    summary: 'check settings, connection, credential, clock and versions',
    writes: 'nothing',
    prints: 'check',
    load: () => import('./doctor.ts'),
  },
  demo: {
    summary: 'demonstrate the tool on a temporary sandbox, in seconds',
    writes: 'machine',
    load: () => import('./demo.ts'),
  },
};

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
  load(): Promise<CommandDefinition>;
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
    load: async () => (await import('./products/inspect.ts')).productsInspect,
  },
  'products push': {
    summary: 'create products from files, and update what differs',
    writes: 'service',
    prints: 'outcome',
    load: async () => (await import('./products/push.ts')).productsPush,
  },
  'products list': {
    summary: 'list products',
    writes: 'nothing',
    prints: 'product',
    load: async () => (await import('./products/list.ts')).productsList,
  },
  'products get': {
    summary: 'show one product',
    writes: 'nothing',
    prints: 'product',
    load: async () => (await import('./products/get.ts')).productsGet,
  },
  'products create': {
    summary: 'create one product',
    writes: 'service',
    prints: 'product',
    load: async () => (await import('./products/create.ts')).productsCreate,
  },
  'products update': {
    summary: 'change one product',
    writes: 'service',
    prints: 'product',
    load: async () => (await import('./products/update.ts')).productsUpdate,
  },
  'product-groups list': {
    summary: 'list product groups',
    writes: 'nothing',
    prints: 'product-group',
    load: async () => (await import('./product-groups/list.ts')).productGroupsList,
  },
  'product-groups add-product': {
    summary: 'add a product to a group',
    writes: 'service',
    prints: 'product-group',
    load: async () => (await import('./product-groups/add-product.ts')).productGroupsAddProduct,
  },
  'categories inspect': {
    summary: 'show how files are read, and print the command that pushes them',
    writes: 'nothing',
    load: async () => (await import('./categories/inspect.ts')).categoriesInspect,
  },
  'categories push': {
    summary: 'create categories from files',
    writes: 'service',
    prints: 'outcome',
    load: async () => (await import('./categories/push.ts')).categoriesPush,
  },
  'categories create': {
    summary: 'create one category',
    writes: 'service',
    prints: 'category',
    load: async () => (await import('./categories/create.ts')).categoriesCreate,
  },
  'orders inspect': {
    summary: 'show how files are read, and print the command that pushes them',
    writes: 'nothing',
    load: async () => (await import('./orders/inspect.ts')).ordersInspect,
  },
  'orders push': {
    summary: 'create order items, or whole orders, from files',
    writes: 'service',
    prints: 'outcome',
    load: async () => (await import('./orders/push.ts')).ordersPush,
  },
  'orders get': {
    summary: 'show one order with its items',
    writes: 'nothing',
    prints: 'order',
    load: async () => (await import('./orders/get.ts')).ordersGet,
  },
  'orders update': {
    summary: 'change one order',
    writes: 'service',
    prints: 'order',
    load: async () => (await import('./orders/update.ts')).ordersUpdate,
  },
  'orders add-item': {
    summary: 'add an item to an order',
    writes: 'service',
    prints: 'order',
    load: async () => (await import('./orders/add-item.ts')).ordersAddItem,
  },
  'order-items push': {
    summary: 'change status, price, options and shipment of existing items from files',
    writes: 'service',
    prints: 'outcome',
    load: async () => (await import('./order-items/push.ts')).orderItemsPush,
  },
  'order-items inspect': {
    summary: 'show how files are read, and print the command that pushes them',
    writes: 'nothing',
    load: async () => (await import('./order-items/inspect.ts')).orderItemsInspect,
  },
  'order-items get': {
    summary: 'show one item of an order',
    writes: 'nothing',
    prints: 'order-item',
    load: async () => (await import('./order-items/get.ts')).orderItemsGet,
  },
  'order-items update': {
    summary: 'change one item',
    writes: 'service',
    prints: 'order-item',
    load: async () => (await import('./order-items/update.ts')).orderItemsUpdate,
  },
  'reviews list': {
    summary: 'list reviews',
    writes: 'nothing',
    prints: 'review',
    load: async () => (await import('./reviews/list.ts')).reviewsList,
  },
  'reviews get': {
    summary: 'show single reviews',
    writes: 'nothing',
    prints: 'review',
    load: async () => (await import('./reviews/get.ts')).reviewsGet,
  },
  'reviews publish': {
    summary: 'make reviews visible to consumers',
    writes: 'service',
    prints: 'review-outcome',
    load: async () => (await import('./reviews/publish.ts')).reviewsPublish,
  },
  'reviews hide': {
    summary: 'hide reviews from consumers',
    writes: 'service',
    prints: 'review-outcome',
    load: async () => (await import('./reviews/hide.ts')).reviewsHide,
  },
  'reviews stats': {
    summary: 'count reviews by rating, product and month',
    writes: 'nothing',
    prints: 'review-statistic',
    load: async () => (await import('./reviews/stats.ts')).reviewsStats,
  },
  'rewards list': {
    summary: 'list rewards',
    writes: 'nothing',
    prints: 'reward',
    load: async () => (await import('./rewards/list.ts')).rewardsList,
  },
  'rewards get': {
    summary: 'show one reward',
    writes: 'nothing',
    prints: 'reward',
    load: async () => (await import('./rewards/get.ts')).rewardsGet,
  },
  'rewards update': {
    summary: 'set the status of one reward, bypassing the ledger',
    writes: 'service',
    prints: 'reward',
    load: async () => (await import('./rewards/update.ts')).rewardsUpdate,
  },
  'rewards settle': {
    summary: 'pay every QUEUED reward at most once, and report its outcome reliably',
    writes: 'service',
    prints: 'reward-outcome',
    load: async () => (await import('./rewards/settle.ts')).rewardsSettle,
  },
  'payer check': {
    summary: 'test a payer with one small payment, requested twice with the same key',
    writes: 'service',
    prints: 'payer-call',
    load: async () => (await import('./payer/check.ts')).payerCheck,
  },
  'rewards listen': {
    summary: 'serve the reward webhook: pay each reward and answer with its outcome',
    writes: 'service',
    load: async () => (await import('./rewards/listen.ts')).rewardsListen,
  },
  'rewards export': {
    summary: 'write rewards to a file for a person to pay',
    writes: 'machine',
    prints: 'reward-outcome',
    load: async () => (await import('./rewards/export.ts')).rewardsExport,
  },
  'rewards import': {
    summary: 'import the outcomes of an exported file, and report them to the service',
    writes: 'service',
    prints: 'reward-outcome',
    load: async () => (await import('./rewards/import.ts')).rewardsImport,
  },
  'ledger init': {
    summary: 'create the ledger of a shop, before its first settlement',
    writes: 'machine',
    prints: 'new-ledger',
    load: async () => (await import('./ledger/init.ts')).ledgerInit,
  },
  'ledger status': {
    summary: 'show totals by state, and what needs attention',
    writes: 'nothing',
    prints: 'ledger-status',
    load: async () => (await import('./ledger/status.ts')).ledgerStatusCommand,
  },
  'ledger list': {
    summary: 'list the rewards in the ledger',
    writes: 'nothing',
    prints: 'ledger-entry',
    load: async () => (await import('./ledger/list.ts')).ledgerList,
  },
  'ledger export': {
    summary: 'export payments as bookings, for month-end',
    writes: 'nothing',
    load: async () => (await import('./ledger/export.ts')).ledgerExport,
  },
  'ledger show': {
    summary: 'show one reward in the ledger and its history',
    writes: 'nothing',
    prints: 'ledger-entry',
    load: async () => (await import('./ledger/show.ts')).ledgerShow,
  },
  'ledger resolve': {
    summary: 'record the outcome of payments whose outcome is unknown, or that the payer took back',
    writes: 'service',
    prints: 'ledger-resolution',
    load: async () => (await import('./ledger/resolve.ts')).ledgerResolve,
  },
  'ledger reconcile': {
    summary: 'compare the ledger with the service and with the statement of the payer',
    writes: 'nothing',
    prints: 'ledger-difference',
    load: async () => (await import('./ledger/reconcile.ts')).ledgerReconcile,
  },
  'ledger verify': {
    summary: 'check the integrity of the ledger',
    writes: 'nothing',
    load: async () => (await import('./ledger/verify.ts')).ledgerVerify,
  },
  'ledger freeze': {
    summary: 'block all payments',
    writes: 'machine',
    load: async () => (await import('./ledger/freeze.ts')).ledgerFreeze,
  },
  'ledger accept': {
    summary: 'put a ledger into use: frozen if it was restored, at once with --complete',
    writes: 'machine',
    load: async () => (await import('./ledger/accept.ts')).ledgerAccept,
  },
  'ledger unfreeze': {
    summary: 'allow payments again',
    writes: 'machine',
    load: async () => (await import('./ledger/unfreeze.ts')).ledgerUnfreeze,
  },
  'ledger backup': {
    summary: 'copy the ledger, even while it is in use',
    writes: 'machine',
    load: async () => (await import('./ledger/backup.ts')).ledgerBackup,
  },
  'jobs list': {
    summary: 'list the jobs of past pushes with their last known state',
    writes: 'nothing',
    prints: 'stored-job',
    load: async () => (await import('./jobs/list.ts')).jobsList,
  },
  'jobs wait': {
    summary: 'wait until all pending jobs have ended',
    writes: 'machine',
    prints: 'stored-job',
    load: async () => (await import('./jobs/wait.ts')).jobsWait,
  },
  'runs list': {
    summary: 'list past pushes',
    writes: 'nothing',
    prints: 'run',
    load: async () => (await import('./runs/list.ts')).runsList,
  },
  'runs show': {
    summary: 'show one push',
    writes: 'nothing',
    prints: 'run',
    load: async () => (await import('./runs/show.ts')).runsShow,
  },
  'runs rejects': {
    summary: 'list the records that were rejected or failed',
    writes: 'nothing',
    prints: 'outcome',
    load: async () => (await import('./runs/rejects.ts')).runsRejects,
  },
  'runs undo': {
    summary: 'restore the values a run replaced, unless they have changed since',
    writes: 'service',
    prints: 'outcome',
    load: async () => (await import('./runs/undo.ts')).runsUndo,
  },
  'runs prune': {
    summary: 'remove old runs from the record, but none that is still needed',
    writes: 'machine',
    prints: 'pruned-run',
    load: async () => (await import('./runs/prune.ts')).runsPrune,
  },
  'runs resolve': {
    summary: 'record whether records with an unknown outcome reached the service',
    writes: 'machine',
    prints: 'record-resolution',
    load: async () => (await import('./runs/resolve.ts')).runsResolve,
  },
  'report run': {
    summary: 'write a page on one push, or on several as one',
    writes: 'nothing',
    load: async () => (await import('./report/run.ts')).reportRun,
  },
  'report reviews': {
    summary: 'write a page on ratings by product and month, and the words of the worst',
    writes: 'nothing',
    load: async () => (await import('./report/reviews.ts')).reportReviews,
  },
  'report ledger': {
    summary: 'write a page on a month of payments, and what is held or unknown now',
    writes: 'nothing',
    load: async () => (await import('./report/ledger.ts')).reportLedger,
  },
  login: {
    summary: 'verify and store the address and credential of a service',
    writes: 'machine',
    load: async () => (await import('./login.ts')).login,
  },
  logout: {
    summary: 'remove the credential from this machine',
    writes: 'machine',
    load: async () => (await import('./logout.ts')).logout,
  },
  'plan show': {
    summary: 'show what a plan would send or pay',
    writes: 'nothing',
    prints: 'planned-record',
    load: async () => (await import('./plan/show.ts')).planShow,
  },
  'profile list': {
    summary: 'list the profiles',
    writes: 'nothing',
    prints: 'profile',
    load: async () => (await import('./profile/list.ts')).profileList,
  },
  'profile use': {
    summary: 'choose the default profile',
    writes: 'machine',
    load: async () => (await import('./profile/use.ts')).profileUse,
  },
  'state move': {
    summary: 'move what is on record in the folder of this machine to a database',
    writes: 'machine',
    load: async () => (await import('./state/move.ts')).stateMove,
  },
  'profile delete': {
    summary: 'delete a profile from this machine',
    writes: 'machine',
    load: async () => (await import('./profile/delete.ts')).profileDelete,
  },
  'profile show': {
    summary: 'show the settings of a profile',
    writes: 'nothing',
    prints: 'setting',
    load: async () => (await import('./profile/show.ts')).profileShow,
  },
  'config list': {
    summary: 'list settings and their sources',
    writes: 'nothing',
    prints: 'setting',
    load: async () => (await import('./config/list.ts')).configList,
  },
  'config get': {
    summary: 'print the value of a setting',
    writes: 'nothing',
    load: async () => (await import('./config/get.ts')).configGet,
  },
  'config set': {
    summary: 'change a setting of a profile',
    writes: 'machine',
    load: async () => (await import('./config/set.ts')).configSet,
  },
  'config unset': {
    summary: 'remove settings of a profile',
    writes: 'machine',
    load: async () => (await import('./config/unset.ts')).configUnset,
  },
  'config path': {
    summary: 'print the path of the profiles',
    writes: 'nothing',
    load: async () => (await import('./config/path.ts')).configPathCommand,
  },
  'sandbox serve': {
    summary: 'run the service of the API document on this machine',
    writes: 'machine',
    load: async () => (await import('./sandbox/serve.ts')).sandboxServe,
  },
  'sandbox write-review': {
    summary: 'write a review as a consumer of a running sandbox',
    writes: 'service',
    prints: 'written-review',
    load: async () => (await import('./sandbox/write-review.ts')).sandboxWriteReview,
  },
  'sandbox advance': {
    summary: 'move the clock of a running sandbox forward',
    writes: 'service',
    load: async () => (await import('./sandbox/advance.ts')).sandboxAdvance,
  },
  'sandbox resend': {
    summary: 'send rewards of a running sandbox to the webhook again',
    writes: 'service',
    load: async () => (await import('./sandbox/resend.ts')).sandboxResend,
  },
  'sandbox fault': {
    summary: 'set or show the faults of a running sandbox',
    writes: 'service',
    load: async () => (await import('./sandbox/fault.ts')).sandboxFault,
  },
  'sandbox hints': {
    summary: 'show the answers of webhook receivers to a running sandbox',
    writes: 'nothing',
    load: async () => (await import('./sandbox/hints.ts')).sandboxHints,
  },
  api: {
    summary: 'call any operation of the API document by its name',
    writes: 'service',
    load: async () => (await import('./api.ts')).api,
  },
  schema: {
    summary: 'print the JSON Schema of input and output',
    writes: 'nothing',
    load: async () => (await import('./schema.ts')).schema,
  },
  completion: {
    summary: 'print the completion script of a shell',
    writes: 'nothing',
    load: async () => (await import('./completion.ts')).completion,
  },
  template: {
    summary: 'print a CSV to fill in, with an example row',
    writes: 'nothing',
    load: async () => (await import('./template.ts')).template,
  },
  status: {
    summary: 'show what needs a person today, over all nouns',
    writes: 'nothing',
    prints: 'status-line',
    load: async () => (await import('./status.ts')).status,
  },
  doctor: {
    summary: 'check settings, connection, credential, clock and versions',
    writes: 'nothing',
    prints: 'check',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  demo: {
    summary: 'demonstrate the tool on a temporary sandbox, in seconds',
    writes: 'machine',
    load: async () => (await import('./demo.ts')).demo,
  },
};

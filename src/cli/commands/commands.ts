import type { CommandDefinition } from '../runtime/command.ts';

/** A command as the overview shows it; its code is loaded when it is called, or its help is. */
export interface CommandEntry {
  readonly summary: string;
  load(): Promise<CommandDefinition>;
}

/** What each noun is, for the overview. */
export const nouns: Readonly<Record<string, string>> = {
  products: 'the catalog',
  'product-groups': 'groups of products',
  categories: 'categories of the catalog',
  orders: 'orders and their items',
  'order-items': 'items the service has already',
  reviews: 'what consumers wrote',
  rewards: 'what is owed for reviews',
  payer: 'whoever moves the money of rewards',
  ledger: 'what was paid of rewards, and what the service was told',
  jobs: 'what the service still works on',
  runs: 'what was pushed, and what came of it',
  plan: 'what is to be sent or paid, kept in a file before it is',
  profile: 'the shops whose settings are kept',
  config: 'settings, and where they come from',
  sandbox: 'the whole service on this machine',
};

/** Every command by the words that call it. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  'products inspect': {
    summary: 'see what a push of files would do, and the command for it',
    load: async () => (await import('./products/inspect.ts')).productsInspect,
  },
  'products push': {
    summary: 'create products from files, and update what differs',
    load: async () => (await import('./products/push.ts')).productsPush,
  },
  'products list': {
    summary: 'list products',
    load: async () => (await import('./products/list.ts')).productsList,
  },
  'products get': {
    summary: 'show one product',
    load: async () => (await import('./products/get.ts')).productsGet,
  },
  'products create': {
    summary: 'create one product',
    load: async () => (await import('./products/create.ts')).productsCreate,
  },
  'products update': {
    summary: 'change one product',
    load: async () => (await import('./products/update.ts')).productsUpdate,
  },
  'product-groups list': {
    summary: 'list product groups',
    load: async () => (await import('./product-groups/list.ts')).productGroupsList,
  },
  'product-groups add-product': {
    summary: 'put a product into a group',
    load: async () => (await import('./product-groups/add-product.ts')).productGroupsAddProduct,
  },
  'categories inspect': {
    summary: 'see what a push of files would do, and the command for it',
    load: async () => (await import('./categories/inspect.ts')).categoriesInspect,
  },
  'categories push': {
    summary: 'create categories from files',
    load: async () => (await import('./categories/push.ts')).categoriesPush,
  },
  'categories create': {
    summary: 'create one category',
    load: async () => (await import('./categories/create.ts')).categoriesCreate,
  },
  'orders inspect': {
    summary: 'see what a push of files would do, and the command for it',
    load: async () => (await import('./orders/inspect.ts')).ordersInspect,
  },
  'orders push': {
    summary: 'create order items, or whole orders, from files',
    load: async () => (await import('./orders/push.ts')).ordersPush,
  },
  'orders get': {
    summary: 'show one order with its items',
    load: async () => (await import('./orders/get.ts')).ordersGet,
  },
  'orders update': {
    summary: 'change one order',
    load: async () => (await import('./orders/update.ts')).ordersUpdate,
  },
  'orders add-item': {
    summary: 'add an item to an order',
    load: async () => (await import('./orders/add-item.ts')).ordersAddItem,
  },
  'order-items push': {
    summary: 'change status, price, options and shipment of existing items from files',
    load: async () => (await import('./order-items/push.ts')).orderItemsPush,
  },
  'order-items inspect': {
    summary: 'see what a push of files would do, and the command for it',
    load: async () => (await import('./order-items/inspect.ts')).orderItemsInspect,
  },
  'order-items get': {
    summary: 'show one item of an order',
    load: async () => (await import('./order-items/get.ts')).orderItemsGet,
  },
  'order-items update': {
    summary: 'change one item',
    load: async () => (await import('./order-items/update.ts')).orderItemsUpdate,
  },
  'reviews list': {
    summary: 'list reviews',
    load: async () => (await import('./reviews/list.ts')).reviewsList,
  },
  'reviews get': {
    summary: 'show single reviews',
    load: async () => (await import('./reviews/get.ts')).reviewsGet,
  },
  'reviews show': {
    summary: 'make reviews visible to consumers',
    load: async () => (await import('./reviews/show.ts')).reviewsShow,
  },
  'reviews hide': {
    summary: 'hide reviews from consumers',
    load: async () => (await import('./reviews/hide.ts')).reviewsHide,
  },
  'reviews stats': {
    summary: 'count reviews by rating, product and month',
    load: async () => (await import('./reviews/stats.ts')).reviewsStats,
  },
  'rewards list': {
    summary: 'list rewards',
    load: async () => (await import('./rewards/list.ts')).rewardsList,
  },
  'rewards get': {
    summary: 'show one reward',
    load: async () => (await import('./rewards/get.ts')).rewardsGet,
  },
  'rewards update': {
    summary: 'set the status of one reward, past the ledger',
    load: async () => (await import('./rewards/update.ts')).rewardsUpdate,
  },
  'rewards settle': {
    summary: 'pay every QUEUED reward at most once, and report it for certain',
    load: async () => (await import('./rewards/settle.ts')).rewardsSettle,
  },
  'payer check': {
    summary: 'see what a payer does with a small payment, asked for twice under one key',
    load: async () => (await import('./payer/check.ts')).payerCheck,
  },
  'rewards listen': {
    summary: 'take the reward webhook, pay each reward and answer what became of it',
    load: async () => (await import('./rewards/listen.ts')).rewardsListen,
  },
  'rewards trigger': {
    summary: 'pay and report one reward now, as a call of the webhook would',
    load: async () => (await import('./rewards/trigger.ts')).rewardsTrigger,
  },
  'rewards export': {
    summary: 'hand rewards over to a person who pays them, in a file',
    load: async () => (await import('./rewards/export.ts')).rewardsExport,
  },
  'rewards import': {
    summary: 'take what came of a handed-over file, and report it to the service',
    load: async () => (await import('./rewards/import.ts')).rewardsImport,
  },
  'ledger init': {
    summary: 'make the ledger of a shop, before its first settlement',
    load: async () => (await import('./ledger/init.ts')).ledgerInit,
  },
  'ledger status': {
    summary: 'how much is paid, open and unknown, and what to look at',
    load: async () => (await import('./ledger/status.ts')).ledgerStatusCommand,
  },
  'ledger list': {
    summary: 'list the rewards in the ledger',
    load: async () => (await import('./ledger/list.ts')).ledgerList,
  },
  'ledger show': {
    summary: 'show one reward in the ledger and its history',
    load: async () => (await import('./ledger/show.ts')).ledgerShow,
  },
  'ledger resolve': {
    summary: 'say what became of payments whose outcome is unknown',
    load: async () => (await import('./ledger/resolve.ts')).ledgerResolve,
  },
  'ledger reconcile': {
    summary: 'compare the ledger with the service, and with what the payer says it paid',
    load: async () => (await import('./ledger/reconcile.ts')).ledgerReconcile,
  },
  'ledger verify': {
    summary: 'check that the ledger is whole and sound in itself',
    load: async () => (await import('./ledger/verify.ts')).ledgerVerify,
  },
  'ledger freeze': {
    summary: 'keep everybody from paying',
    load: async () => (await import('./ledger/freeze.ts')).ledgerFreeze,
  },
  'ledger accept': {
    summary: 'make a restored ledger the one in use; it stays frozen',
    load: async () => (await import('./ledger/accept.ts')).ledgerAccept,
  },
  'ledger move': {
    summary: 'use the ledger on this machine, as this file, or under a new address of the service',
    load: async () => (await import('./ledger/move.ts')).ledgerMove,
  },
  'ledger unfreeze': {
    summary: 'let payments be made again',
    load: async () => (await import('./ledger/unfreeze.ts')).ledgerUnfreeze,
  },
  'ledger backup': {
    summary: 'copy the ledger, also while it is in use',
    load: async () => (await import('./ledger/backup.ts')).ledgerBackup,
  },
  'jobs list': {
    summary: 'list the jobs of what was pushed, with their last known state',
    load: async () => (await import('./jobs/list.ts')).jobsList,
  },
  'jobs get': {
    summary: 'ask the service for one job',
    load: async () => (await import('./jobs/get.ts')).jobsGet,
  },
  'jobs wait': {
    summary: 'follow all pending jobs to their end',
    load: async () => (await import('./jobs/wait.ts')).jobsWait,
  },
  'runs list': {
    summary: 'list the pushes on record',
    load: async () => (await import('./runs/list.ts')).runsList,
  },
  'runs show': {
    summary: 'show one push on record',
    load: async () => (await import('./runs/show.ts')).runsShow,
  },
  'runs rejects': {
    summary: 'list what a push had rejected or failed',
    load: async () => (await import('./runs/rejects.ts')).runsRejects,
  },
  'runs resume': {
    summary: 'run the command of a push again; it goes on where it stopped',
    load: async () => (await import('./runs/resume.ts')).runsResume,
  },
  'runs undo': {
    summary: 'write back what a run replaced, where nothing has changed since',
    load: async () => (await import('./runs/undo.ts')).runsUndo,
  },
  'runs resolve': {
    summary: 'say what became of records whose answer was lost',
    load: async () => (await import('./runs/resolve.ts')).runsResolve,
  },
  login: {
    summary: 'keep the address and the credential of a service, once they are proved',
    load: async () => (await import('./login.ts')).login,
  },
  logout: {
    summary: 'take the credential off this machine',
    load: async () => (await import('./logout.ts')).logout,
  },
  'plan show': {
    summary: 'show what a plan would send or pay',
    load: async () => (await import('./plan/show.ts')).planShow,
  },
  'profile list': {
    summary: 'list the profiles',
    load: async () => (await import('./profile/list.ts')).profileList,
  },
  'profile use': {
    summary: 'choose the profile that counts where none is named',
    load: async () => (await import('./profile/use.ts')).profileUse,
  },
  'profile show': {
    summary: 'show the settings of a profile',
    load: async () => (await import('./profile/show.ts')).profileShow,
  },
  'config list': {
    summary: 'list what is set, and where it comes from',
    load: async () => (await import('./config/list.ts')).configList,
  },
  'config get': {
    summary: 'print the value of a setting',
    load: async () => (await import('./config/get.ts')).configGet,
  },
  'config set': {
    summary: 'set something in a profile',
    load: async () => (await import('./config/set.ts')).configSet,
  },
  'config path': {
    summary: 'print where profiles are kept',
    load: async () => (await import('./config/path.ts')).configPathCommand,
  },
  'sandbox serve': {
    summary: 'run the service of the API document on this machine',
    load: async () => (await import('./sandbox/serve.ts')).sandboxServe,
  },
  'sandbox seed': {
    summary: 'add made-up products, orders and reviews to a running sandbox',
    load: async () => (await import('./sandbox/seed.ts')).sandboxSeed,
  },
  'sandbox write-review': {
    summary: 'let a consumer of a running sandbox write a review',
    load: async () => (await import('./sandbox/write-review.ts')).sandboxWriteReview,
  },
  'sandbox hints': {
    summary: 'show what webhook receivers answered to a running sandbox',
    load: async () => (await import('./sandbox/hints.ts')).sandboxHints,
  },
  api: {
    summary: 'call any operation of the API document by its name',
    load: async () => (await import('./api.ts')).api,
  },
  schema: {
    summary: 'print the JSON Schema of what goes in and what comes out',
    load: async () => (await import('./schema.ts')).schema,
  },
  completion: {
    summary: 'print what a shell reads to complete commands, flags and names',
    load: async () => (await import('./completion.ts')).completion,
  },
  doctor: {
    summary: 'check settings, reach, credential, clock and versions',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  demo: {
    summary: 'see the whole tool work on a sandbox of its own, in seconds',
    load: async () => (await import('./demo.ts')).demo,
  },
};

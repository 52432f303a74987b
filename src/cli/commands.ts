import type { CommandDefinition } from './command.ts';

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
  jobs: 'what the service still works on',
  runs: 'what was pushed, and what came of it',
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
  'product-groups list': {
    summary: 'list product groups',
    load: async () => (await import('./product-groups/list.ts')).productGroupsList,
  },
  'categories inspect': {
    summary: 'see what a push of files would do, and the command for it',
    load: async () => (await import('./categories/inspect.ts')).categoriesInspect,
  },
  'categories push': {
    summary: 'create categories from files',
    load: async () => (await import('./categories/push.ts')).categoriesPush,
  },
  'orders inspect': {
    summary: 'see what a push of files would do, and the command for it',
    load: async () => (await import('./orders/inspect.ts')).ordersInspect,
  },
  'orders push': {
    summary: 'create order items, or whole orders, from files',
    load: async () => (await import('./orders/push.ts')).ordersPush,
  },
  'order-items push': {
    summary: 'change status, price, options and shipment of existing items from files',
    load: async () => (await import('./order-items/push.ts')).orderItemsPush,
  },
  'order-items inspect': {
    summary: 'see what a push of files would do, and the command for it',
    load: async () => (await import('./order-items/inspect.ts')).orderItemsInspect,
  },
  'reviews list': {
    summary: 'list reviews',
    load: async () => (await import('./reviews/list.ts')).reviewsList,
  },
  'reviews stats': {
    summary: 'count reviews by rating, product and month',
    load: async () => (await import('./reviews/stats.ts')).reviewsStats,
  },
  'rewards list': {
    summary: 'list rewards',
    load: async () => (await import('./rewards/list.ts')).rewardsList,
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
  'runs resolve': {
    summary: 'say what became of records whose answer was lost',
    load: async () => (await import('./runs/resolve.ts')).runsResolve,
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
  schema: {
    summary: 'print the JSON Schema of what goes in and what comes out',
    load: async () => (await import('./schema.ts')).schema,
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

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ExitCode, strongestExitCode } from '../../base/failure.ts';
import { shellWord } from '../../base/shell-word.ts';
import { writeOutput } from '../../output/terminal/streams.ts';
import { type ServedSandbox, serveSandbox } from '../../sandbox/serve.ts';
import { type Context, defineCommand, type Program } from '../runtime/command.ts';

/** A step of the demo: its title and its command. */
interface Step {
  readonly title: string;
  readonly command: readonly string[];
}

/** Operations of the sandbox beyond the API document, as environment variables of the client. */
const assumptions = {
  REVIEWCTL_CREATE_ORDERS: 'POST /admin/v2/orders/bulk',
  REVIEWCTL_GET_JOB: 'GET /admin/v2/job/{jobId}',
};

export const command = defineCommand({
  flags: {},
  examples: ['reviewctl demo'],
  run: async ({ context, notices, program }) => {
    const folder = await mkdtemp(join(tmpdir(), 'reviewctl-demo-'));
    const served = await serveSandbox({ port: 0, jobDelayMs: 300 });
    try {
      const demoContext = { ...context, env: demoEnv(context, folder, served) };
      await say(context, opening(served.baseUrl));
      const exitCode = await runSteps(stepsOf(context.cwd), program, demoContext);
      if (exitCode === 0) await say(context, closing());
      else notices.warning('the demo ended early');
      return exitCode;
    } finally {
      await served.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
});

/** The settings of the demo, without the user's own. */
function demoEnv({ env, cwd }: Context, folder: string, { baseUrl, token }: ServedSandbox): Context['env'] {
  return {
    ...withoutSettings(env),
    REVIEWCTL_BASE_URL: baseUrl,
    REVIEWCTL_TOKEN: token,
    REVIEWCTL_STATE_DIR: join(folder, 'state'),
    REVIEWCTL_CONFIG_DIR: join(folder, 'config'),
    ...assumptions,
    REVIEWCTL_OUTPUT: 'table',
    // The demo and its ledger end together.
    REVIEWCTL_LEDGER_ANYWHERE: 'true',
    REVIEWCTL_PAYER_COMMAND: `/bin/sh ${shellWord(resolve(cwd, shownPath('payers/minimal.sh', cwd)))}`,
    REVIEWCTL_PAYER_ENV: 'POINTS_FILE',
    REVIEWCTL_PAYER_IDEMPOTENT: '365d',
    POINTS_FILE: join(folder, 'points.ndjson'),
  };
}

function stepsOf(cwd: string): readonly Step[] {
  const file = (name: string) => shownPath(`demo/${name}`, cwd);
  const push = (noun: string, name: string, ...flags: readonly string[]) => [
    noun,
    'push',
    file(name),
    ...flags,
  ];
  const pushOrders = push('orders', 'orders.csv', '-c', 'time-zone=+00:00', '--wait');
  return [
    { title: 'The categories of a real shop', command: push('categories', 'categories.csv', '--wait') },
    {
      title: 'Its products: all are created, because the service has none yet',
      command: push('products', 'products.csv'),
    },
    { title: 'One day of its orders, waiting until every job has ended', command: pushOrders },
    { title: 'The same files again: nothing is sent twice', command: pushOrders },
    ...laterSteps,
  ];
}

const laterSteps: readonly Step[] = [
  { title: 'Consumers write reviews', command: ['sandbox', 'write-review', '--count', '60', '-o', 'none'] },
  { title: 'What they think', command: ['reviews', 'list', '--limit', '8'] },
  {
    title: 'Who is unhappy',
    command: ['reviews', 'list', '--ratings', '1,2', '--fields', 'rating,text,product.name'],
  },
  { title: 'The rewards owed for them', command: ['rewards', 'list', '--status', 'QUEUED', '--limit', '8'] },
  {
    title: 'A ledger: every payment is recorded there before it is made',
    command: ['ledger', 'init'],
  },
  {
    title: 'The payments that a run would make, and the rewards it would hold',
    command: ['rewards', 'settle', '--dry-run', '-o', 'none'],
  },
  {
    title: 'All of them are paid and reported',
    command: ['rewards', 'settle', '-o', 'none'],
  },
  { title: 'Once more: nobody is paid twice', command: ['rewards', 'settle', '-o', 'none'] },
  { title: 'The ledger afterwards', command: ['ledger', 'status'] },
  {
    title: 'The rest: rewards of guests, whom nobody can pay',
    command: ['rewards', 'list', '--status', 'QUEUED', '--limit', '4'],
  },
];

async function runSteps(steps: readonly Step[], program: Program, context: Context): Promise<ExitCode> {
  for (const { title, command } of steps) {
    if (context.stopping.aborted) break;
    await say(context, `\n# ${title}\n$ reviewctl ${command.map(shellWord).join(' ')}\n`);
    const exitCode = await program.run(command, context);
    if (exitCode !== 0) return strongestExitCode([exitCode]);
  }
  return 0;
}

/** Removes the user's settings, which may be for a real service. */
function withoutSettings(env: Context['env']): Context['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('REVIEWCTL_')));
}

/** A file of the demo, as the user would type its path. */
function shownPath(name: string, cwd: string): string {
  // The source of this module and its bundle are both two folders below the package.
  const path = fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
  const fromHere = relative(cwd, path);
  return fromHere.startsWith(`..${sep}`) ? path : fromHere;
}

async function say({ streams }: Context, text: string): Promise<void> {
  await writeOutput(streams, text);
}

function opening(baseUrl: string): string {
  return [
    `A sandbox serves the whole API at ${baseUrl}, in memory, for as long as this demo runs.`,
    'Everything below is real: the commands, the requests, and the orders of one day of an online shop in 2010.',
    '',
  ].join('\n');
}

function closing(): string {
  return [
    '',
    'Nothing is left on your machine. To try it by hand, keep a sandbox running in one shell:',
    '',
    '  reviewctl sandbox serve',
    '',
    'In another shell, set REVIEWCTL_BASE_URL and REVIEWCTL_TOKEN as it says, then:',
    '',
    ...Object.entries(assumptions).map(([name, value]) => `  export ${name}='${value}'`),
    '',
    'Now the commands above work unchanged; those that pay need a payer, such as fixtures/payers/minimal.sh.',
    'docs/payers.md explains how to write and configure one. Next steps:',
    '',
    '  reviewctl doctor                  check settings, address and credential',
    '  reviewctl orders push --help      show the flags and examples of a command',
    '  docs/                             your own service, cron jobs, pipelines and payers',
    '',
  ].join('\n');
}

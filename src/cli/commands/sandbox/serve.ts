import { once } from 'node:events';
import { present } from '../../../base/present.ts';
import { writeOutput } from '../../../output/terminal/streams.ts';
import { parseFaults } from '../../../sandbox/faults/faults.ts';
import { personaNames, sandboxAs } from '../../../sandbox/personas.ts';
import type { SandboxOptions } from '../../../sandbox/sandbox.ts';
import { serveSandbox } from '../../../sandbox/serve.ts';
import {
  defaultFlag,
  durationValue,
  integerValue,
  repeatableFlag,
  textFlag,
  textValue,
  valueFlag,
  wordValue,
} from '../../flags/flags.ts';
import { connectionFlags, outputFlags } from '../../flags/shared-flags.ts';
import { type Context, defineCommand, type Invocation } from '../../runtime/command.ts';
import { givenAssumptions } from '../../runtime/session.ts';

const count = integerValue(0, 1_000_000);

const flags = {
  port: defaultFlag(integerValue(0, 65_535), 4010, 'N', 'port to listen on, 0 for a free one (default 4010)'),
  host: defaultFlag(textValue, '127.0.0.1', 'H', 'the address to listen on (default 127.0.0.1)'),
  data: valueFlag(textValue, 'FILE', 'store all data in this file (default: in memory)'),
  products: defaultFlag(count, 0, 'N', 'number of generated products'),
  orders: defaultFlag(count, 0, 'N', 'number of generated orders'),
  reviews: defaultFlag(count, 0, 'N', 'number of generated reviews'),
  webhookUrl: textFlag('URL', 'address that rewards are announced to'),
  jobDelay: valueFlag(durationValue, 'DURATION', 'how long bulk jobs stay pending (default 1s)'),
  latency: valueFlag(durationValue, 'DURATION', 'delay added to every answer'),
  fault: repeatableFlag('KIND=RATE', 'inject a fault, such as reset-after=5%'),
  persona: valueFlag(wordValue(personaNames), 'NAME', personaNames.join(', ')),
  seed: defaultFlag(integerValue(0, 4_294_967_295), 1, 'N', 'same seed, same data and faults (default 1)'),
  output: outputFlags.output,
  assume: connectionFlags.assume,
};

type ServeFlags = Invocation<typeof flags>['flags'];

export const command = defineCommand({
  flags,
  examples: [
    'reviewctl sandbox serve',
    'reviewctl sandbox serve --data shop.db --products 50 --orders 200 --reviews 500',
    'reviewctl sandbox serve --persona legacy --reviews 100',
    'reviewctl sandbox serve --port 0 --fault throttle=5% --fault reset-after=1% -o json',
  ],
  run: async ({ context, flags, notices }) => {
    const { port, host, persona, products, orders, reviews, seed } = flags;
    const given = { products, orders, reviews, seed, ...givenOptions(flags, context.env) };
    const served = await serveSandbox({ port, host, ...commandOptions, ...sandboxAs(persona, given) });
    try {
      const { baseUrl } = served;
      const isForPeople =
        flags.output === undefined ? context.streams.isOutputTerminal : flags.output === 'table';
      const ready = isForPeople
        ? welcome(baseUrl, served.token)
        : `${JSON.stringify({ baseUrl, token: served.token })}\n`;
      await writeOutput(context.streams, ready);
      if (!context.stopping.aborted) await once(context.stopping, 'abort');
    } finally {
      await served.close();
    }
    notices.info('sandbox stopped');
  },
});

/** Defaults of the serve command. */
const commandOptions = { jobDelayMs: 1000, seededRewards: 'every-status' } as const;

/** The options that were set; the others are absent. */
function givenOptions(
  { data, webhookUrl, jobDelay, latency, fault, assume }: ServeFlags,
  env: Context['env'],
): SandboxOptions {
  return present<SandboxOptions>({
    assumptions: givenAssumptions(assume),
    ...(fault.length === 0 ? {} : parseFaults(fault)),
    token: env['REVIEWCTL_SANDBOX_TOKEN'] || undefined,
    dataFile: data,
    webhookUrl,
    jobDelayMs: jobDelay,
    latencyMs: latency,
  });
}

function welcome(baseUrl: string, token: string): string {
  return [
    `The sandbox serves the whole API at ${baseUrl}; Ctrl-C stops it.`,
    'In another shell:',
    '',
    `  export REVIEWCTL_BASE_URL=${baseUrl}`,
    `  export REVIEWCTL_TOKEN=${token}`,
    '  reviewctl doctor',
    '',
  ].join('\n');
}

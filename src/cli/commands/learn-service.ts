import { Failure } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import { kebabCase } from '../../base/name-case.ts';
import type { Service } from '../../client/open-service.ts';
import { probeArrays } from '../../client/probe-arrays.ts';
import { type Assumptions, assumptionTable, readAssumption } from '../../contract/assumptions.ts';
import { writeError } from '../../output/terminal/streams.ts';
import type { askFlags, connectionFlags } from '../flags/shared-flags.ts';
import { askLine, canAsk } from '../runtime/ask.ts';
import type { Invocation } from '../runtime/command.ts';
import { readAssumptions } from '../runtime/session.ts';

type LearnFlags = Pick<typeof connectionFlags, 'assume'> & Pick<typeof askFlags, 'noInput'>;
type LearnInvocation = Invocation<LearnFlags>;

interface LearnOptions {
  /** Asks for settings only if the profile is new. */
  readonly isNew: boolean;
  /** Opens the service with these assumptions. */
  readonly open: (assume: readonly string[]) => Promise<Service>;
  readonly save: (settings: JsonObject) => Promise<void>;
}

/** Operations that the API document mentions but does not define: only the operator of the service knows them. */
const askedOperations = {
  getJob: 'fetches one bulk job',
  createOrders: 'creates whole orders in bulk',
  getReward: 'fetches one reward',
} as const satisfies Partial<Record<keyof Assumptions, string>>;

/** Attempts to answer a question before it is skipped. */
const attemptsMaximum = 3;

/**
 * Saves what the API document leaves open as settings of the profile: it tries what a GET can show, and asks for the
 * rest at a terminal. Nothing is written to the shop. A service that does not answer causes only a warning: the
 * credential is already stored.
 */
export async function learnService(invocation: LearnInvocation, options: LearnOptions): Promise<void> {
  try {
    await tryArrayQuery(invocation, options);
  } catch (error) {
    if (!(error instanceof Failure) || invocation.context.stopping.aborted) throw error;
    invocation.notices.warning(
      `could not detect how the service reads array parameters: ${error.message}`,
      'if a push of products is refused for it, set array-query',
    );
  }
  if (options.isNew) await askOperations(invocation, options);
}

async function tryArrayQuery(
  { flags: { assume }, notices, sources }: LearnInvocation,
  { open, save }: LearnOptions,
): Promise<void> {
  const { arrayQuery: current } = readAssumptions(assume);
  const forms = assumptionTable.arrayQuery.words;
  for (const form of [current, ...forms.filter((other) => other !== current)]) {
    const service = await open([...assume, `arrayQuery=${form}`]);
    try {
      const { kind } = await probeArrays(service.api);
      if (kind === 'unprovable') return;
      if (kind === 'misread') continue;
      const { 'array-query': kept = forms[0] } = sources.profile.settings;
      if (form === kept) return;
      await save({ 'array-query': form });
      notices.info(`array-query ${form}: detected by requesting two products`);
      return;
    } finally {
      await service.close();
    }
  }
  notices.warning(
    `the service reads array parameters in none of the known forms (${forms.join(', ')})`,
    'ask its operator; pushes of products look each one up by these parameters',
  );
}

async function askOperations(
  { context, flags: { assume, noInput } }: LearnInvocation,
  { save }: LearnOptions,
): Promise<void> {
  if (noInput || !canAsk(context)) return;
  const known = readAssumptions(assume);
  for (const [key, purpose] of Object.entries(askedOperations)) {
    const name = key as keyof typeof askedOperations;
    if (known[name] !== undefined) continue;
    const { example } = assumptionTable[name];
    const question = `Operation that ${purpose}, such as ${example} (Enter if unknown):`;
    const answer = await askOperation(question, name, context);
    if (answer !== undefined) await save({ [kebabCase(name)]: answer });
  }
}

async function askOperation(
  question: string,
  name: keyof typeof askedOperations,
  context: LearnInvocation['context'],
): Promise<string | undefined> {
  for (let attempts = 0; attempts < attemptsMaximum; attempts += 1) {
    const answer = await askLine(question, context);
    if (answer === '') return undefined;
    const read = readAssumption(name, answer);
    if (!('fault' in read)) return answer;
    writeError(context.streams, `${read.fault}\n`);
  }
  return undefined;
}

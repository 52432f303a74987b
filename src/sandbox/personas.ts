import type { Assumptions } from '../contract/assumptions.ts';
import type { SandboxOptions } from './sandbox.ts';

/** How a service is, in words and in settings of the sandbox. */
interface Persona {
  readonly description: string;
  /** What a client has to be told of it with `--assume`; the rest it sees by itself. */
  readonly client: readonly string[];
  readonly assumptions: Partial<Assumptions>;
  readonly options: Pick<SandboxOptions, 'faults' | 'jobDelayMs' | 'listLagMs' | 'optIn'>;
}

/** Services as they are found, each of which reads the API document in its own way. */
export const personas = {
  fastapi: {
    description: 'repeated array parameters, unknown fields ignored, 201 and 403',
    client: [],
    assumptions: {
      arrayQuery: 'repeat',
      unknownFields: 'ignore',
      unauthenticatedStatus: '403',
      successStatus: '201',
      duplicateOriginId: 'accept',
      groupName: 'may-duplicate',
      timeRangeEnd: 'exclusive',
    },
    options: {},
  },
  lenient: {
    description: 'arrays by comma, takes what others refuse, numbers as text and digits as numbers',
    client: ['arrayQuery=comma'],
    assumptions: {
      arrayQuery: 'comma',
      unknownFields: 'ignore',
      duplicateOriginId: 'accept',
      bulkBadEntry: 'fail-job',
      bulkExtraFields: 'taken',
      rewardTransitions: 'any',
      replyScalars: 'swapped',
      isAlimtalkEnabledReply: 'string',
      emptyFields: 'missing',
      validationStatus: '400',
      errorDetail: 'object',
      successStatus: '201',
    },
    options: {},
  },
  lagging: {
    description: 'lists show new records 2 s late, slow jobs, throttling, rehosted images',
    client: [],
    assumptions: {
      duplicateOriginId: 'accept',
      imageUrlReply: 'rehosted',
      rewardStatusAfterWebhook: 'stays',
      webhookRedelivery: 'on-failure',
    },
    options: { listLagMs: 2_000, jobDelayMs: 3_000, faults: { throttle: 0.02 } },
  },
  legacy: {
    description:
      'arrays by brackets, updates reset what they leave out, errors as web pages, no operation beyond the document',
    client: ['arrayQuery=brackets', 'defaultsOnUpdate=apply'],
    assumptions: {
      arrayQuery: 'brackets',
      unknownFields: 'ignore',
      duplicateOriginId: 'accept',
      defaultsOnUpdate: 'apply',
      paidPriceReply: 'number',
      emptyFields: 'missing',
      validationStatus: '400',
      unauthenticatedStatus: '403',
      errorDetail: 'html',
      webhookRedirect: 'failure',
    },
    options: { optIn: false },
  },
} as const satisfies Readonly<Record<string, Persona>>;

export type PersonaName = keyof typeof personas;

export const personaNames = Object.keys(personas) as [PersonaName, ...PersonaName[]];

/** The options of a sandbox that is that service, where `given` does not say otherwise; assumptions are replaced one by one. */
export function sandboxAs(name: PersonaName | undefined, given: SandboxOptions = {}): SandboxOptions {
  if (name === undefined) return given;
  const { options, assumptions }: Persona = personas[name];
  return {
    seededRewards: 'every-status',
    ...options,
    ...given,
    assumptions: { ...assumptions, ...given.assumptions },
  };
}

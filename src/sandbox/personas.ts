import type { Assumptions } from '../contract/assumptions.ts';
import type { SandboxOptions } from './sandbox.ts';

/** A kind of service, imitated by settings of the sandbox. */
interface Persona {
  /** The assumptions that a client needs as settings. It detects the others. */
  readonly client: readonly string[];
  readonly assumptions: Partial<Assumptions>;
  readonly options: Pick<SandboxOptions, 'faults' | 'jobDelayMs' | 'listLagMs' | 'optIn'>;
}

/** Typical services, each with its own interpretation of the API document. */
export const personas = {
  /** The documented operations only. */
  documented: {
    client: [],
    assumptions: {},
    options: { optIn: false },
  },
  /** Repeated array parameters, unknown fields ignored, 201 and 403, positions as numbers. */
  fastapi: {
    client: [],
    assumptions: {
      arrayQuery: 'repeat',
      unknownFields: 'ignore',
      locIndex: 'integer',
      isAlimtalkEnabledReply: 'boolean',
      unauthenticatedStatus: '403',
      successStatus: '201',
      duplicateOriginId: 'accept',
      groupName: 'may-duplicate',
      timeRangeEnd: 'exclusive',
    },
    options: {},
  },
  /** Comma-separated arrays, lenient checks, numbers as text and digits as numbers. */
  lenient: {
    client: ['arrayQuery=comma'],
    assumptions: {
      arrayQuery: 'comma',
      unknownFields: 'ignore',
      duplicateOriginId: 'accept',
      bulkBadEntry: 'fail-job',
      bulkExtraFields: 'taken',
      rewardTransitions: 'any',
      replyScalars: 'swapped',
      emptyFields: 'missing',
      validationStatus: '400',
      errorDetail: 'object',
      successStatus: '201',
    },
    options: {},
  },
  /** New records listed after 2 s, slow jobs, throttling, rehosted images. */
  lagging: {
    client: [],
    assumptions: {
      duplicateOriginId: 'accept',
      imageUrlReply: 'rehosted',
      rewardStatusAfterWebhook: 'stays',
      webhookRedelivery: 'on-failure',
    },
    options: { listLagMs: 2_000, jobDelayMs: 3_000, faults: { throttle: 0.02 } },
  },
  /** Array parameters with brackets, updates that reset omitted fields, HTML errors, documented operations only. */
  legacy: {
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

/** Sandbox options of a persona; `given` overrides them, its assumptions and faults one by one. */
export function sandboxAs(name: PersonaName | undefined, given: SandboxOptions = {}): SandboxOptions {
  if (name === undefined) return given;
  const { options, assumptions }: Persona = personas[name];
  return {
    seededRewards: 'every-status',
    ...options,
    ...given,
    assumptions: { ...assumptions, ...given.assumptions },
    faults: { ...options.faults, ...given.faults },
  };
}

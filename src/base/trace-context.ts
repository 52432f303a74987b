import { crypto } from './crypto.ts';

/** The W3C Trace Context of the program, as passed by its caller. */
export interface TraceContext {
  readonly traceId: string;
  readonly flags: string;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a `traceparent`; undefined for an invalid one, which the specification ignores. */
export function readTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId = '', parentId = '', flags = '', more] = form.exec(text ?? '') ?? [];
  const isValid = version !== undefined && version !== 'ff' && !(version === '00' && more !== undefined);
  if (!isValid || isZero(traceId) || isZero(parentId)) return undefined;
  // In later versions, only the flag of version 00 is known.
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, flags: isSampled ? '01' : '00' };
}

/** The `traceparent` of one call within the trace, with its own span id. */
export function childTraceparent({ traceId, flags }: TraceContext): string {
  let spanId: string;
  do spanId = crypto().randomBytes(8).toString('hex');
  while (isZero(spanId));
  return `00-${traceId}-${spanId}-${flags}`;
}

function isZero(id: string): boolean {
  return /^0*$/.test(id);
}

import { isJsonObject, type Json } from '../base/json.ts';

/** The outcome that a payer names in its output, besides its exit code or status. */
export type OutcomeJson =
  | { readonly kind: 'paid'; readonly ref?: string; readonly message?: string }
  | { readonly kind: 'refused' | 'retry' | 'not-found'; readonly message?: string }
  /** An outcome outside the protocol. */
  | { readonly kind: 'unrecognized'; readonly message: string }
  /** JSON that names no outcome. */
  | { readonly kind: 'nothing' };

const outcomes = ['paid', 'refused', 'retry', 'not-found'] as const;
const refLengthMaximum = 200;
const messageLengthMaximum = 300;

/** Reads `{"outcome","ref","message"}`; undefined for text that is no JSON object. */
export function readOutcomeJson(text: string): OutcomeJson | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const { outcome, ref, message } = value;
  if (outcome === undefined || outcome === null) return { kind: 'nothing' };
  const kind = outcomes.find((word) => word === outcome);
  if (kind === undefined) {
    return {
      kind: 'unrecognized',
      message: `its outcome ${quoted(outcome)} is not one of ${outcomes.join(', ')}`,
    };
  }
  const words = shortText(message, messageLengthMaximum);
  const explained = words === undefined ? {} : { message: words };
  const receipt = shortText(ref, refLengthMaximum);
  if (kind !== 'paid' || receipt === undefined) return { kind, ...explained };
  return { kind, ref: receipt, ...explained };
}

/** Foreign text as one short line of a message. */
export function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > messageLengthMaximum ? `${line.slice(0, messageLengthMaximum)}…` : line;
}

function parseObject(text: string) {
  try {
    // Trimmed, because a byte order mark is no JSON, but is a blank to JavaScript.
    const value: unknown = JSON.parse(text.trim());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A receipt may be a number. */
function shortText(value: Json | undefined, lengthMaximum: number): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value.slice(0, lengthMaximum) : undefined;
}

function quoted(value: Json): string {
  return `'${shortened(typeof value === 'string' ? value : JSON.stringify(value))}'`;
}

import type { Json } from '../../base/json.ts';
import type { Streams } from '../terminal/streams.ts';
import { terminalJson } from '../terminal/terminal-text.ts';

/** A value as JSON: on one line for programs; spread out, and without a living character, for people. */
export function jsonText(value: Json, { isOutputTerminal }: Pick<Streams, 'isOutputTerminal'>): string {
  if (!isOutputTerminal) return `${JSON.stringify(value)}\n`;
  return `${JSON.stringify(value, null, 2).split('\n').map(terminalJson).join('\n')}\n`;
}

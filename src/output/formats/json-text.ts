import type { Json } from '../../base/json.ts';
import type { Streams } from '../terminal/streams.ts';
import { terminalJson } from '../terminal/terminal-text.ts';

/** A value as JSON: one line in a pipe; pretty-printed, with control characters escaped, on a terminal. */
export function jsonText(value: Json, { isOutputTerminal }: Pick<Streams, 'isOutputTerminal'>): string {
  if (!isOutputTerminal) return `${JSON.stringify(value)}\n`;
  return `${JSON.stringify(value, null, 2).split('\n').map(terminalJson).join('\n')}\n`;
}

import { Failure } from '../base/failure.ts';

/** Headers that every call sets itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const linesMaximum = 100;

/**
 * Reads a file of `Name: value` lines; blank lines and lines that begin with # are ignored. `path` is for
 * messages, which name the number of a line and never quote it.
 * @throws Failure('config') for a line that is no header, and for a header that every call sets itself.
 */
export function readHeaderLines(text: string, path: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const lines = text.split('\n');
  if (lines.length > linesMaximum) {
    throw new Failure(
      'config',
      `${path} has more than ${linesMaximum} lines`,
      'name a file that contains only headers',
    );
  }
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const place = { file: path, line: index + 1 };
    const [, name = '', value = ''] =
      /^([!#$%&'*+.^`|~\w-]+):[ \t]*(?![ \t])([\x20-\x7e]*)$/.exec(line.trimEnd()) ?? [];
    if (name === '' || value === '') {
      throw new Failure(
        'config',
        `${path}:${index + 1} is no header`,
        'write one a line, such as Authorization: Bearer …',
        place,
      );
    }
    if (ownHeaders.has(name.toLowerCase())) {
      throw new Failure(
        'config',
        `${path}:${index + 1}: ${name} is set by every call itself`,
        'remove the line',
        place,
      );
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openApiDocument } from '../../src/contract/openapi.ts';

/* Third-party programs that `npm run judges` installs beside this file, and only judges use. */

const run = promisify(execFile);
const programs = join(import.meta.dirname, 'node_modules/.bin');
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** The path of a judge's program, for a process that the caller can end. */
export function judgeProgram(name: 'redocly' | 'openapi-typescript' | 'prism'): string {
  return join(programs, name);
}

interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
}

/** The output of a judge, or of our program at this path, whatever its exit code. */
export function answerOf(program: string, args: readonly string[]): Promise<Answer> {
  const answer = run(process.execPath, [program, ...args], { env, maxBuffer: 1e8 });
  return answer.then(
    ({ stdout }) => ({ exitCode: 0, stdout }),
    ({ code, stdout }: { readonly code: number; readonly stdout: string }) => ({ exitCode: code, stdout }),
  );
}

/** Writes the output of `schema openapi` to a folder, with these texts replaced; returns its path. */
export function writeDocument(folder: string, ...changes: readonly (readonly [string, string])[]): string {
  const path = join(folder, 'openapi.json');
  const changed = changes.reduce(
    (document, [text, replacement]) => document.replace(text, replacement),
    JSON.stringify(openApiDocument()),
  );
  writeFileSync(path, changed);
  return path;
}

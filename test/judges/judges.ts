import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openApiDocument } from '../../src/contract/openapi.ts';

/*
 * Other people's programs, which `npm run judges` installs beside this file and nothing else needs.
 */

const run = promisify(execFile);
const programs = join(import.meta.dirname, 'node_modules/.bin');
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** The command line of a judge, for a process that is to be ended. */
export function judgeProgram(name: 'redocly' | 'openapi-typescript' | 'prism'): string {
  return join(programs, name);
}

interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
}

/** What a judge, or a program of ours at this path, says, whatever its exit code. */
export function answerOf(program: string, args: readonly string[]): Promise<Answer> {
  const answer = run(process.execPath, [program, ...args], { env, maxBuffer: 1e8 });
  return answer.then(
    ({ stdout }) => ({ exitCode: 0, stdout }),
    ({ code, stdout }: { readonly code: number; readonly stdout: string }) => ({ exitCode: code, stdout }),
  );
}

/** Writes the document of `schema openapi` into a folder, with texts of it replaced; returns its path. */
export function writeDocument(folder: string, ...changes: readonly (readonly [string, string])[]): string {
  const path = join(folder, 'openapi.json');
  const changed = changes.reduce(
    (document, [text, replacement]) => document.replace(text, replacement),
    JSON.stringify(openApiDocument()),
  );
  writeFileSync(path, changed);
  return path;
}

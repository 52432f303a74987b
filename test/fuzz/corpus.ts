import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/* Inputs are stored as text for review: one JSON string per line, whose characters are the bytes. */

const folder = join(process.cwd(), 'fixtures/fuzz');
/** The longest stored input, in bytes, so that a corpus stays small. */
const keptLength = 3_000;
const crashFolder = join(folder, 'crashes');

/** The stored inputs of a target, which together run all the code that was found. */
export function corpusOf(target: string): Buffer[] {
  const path = join(folder, `${target}.txt`);
  return existsSync(path) ? inputsIn(path) : [];
}

export function writeCorpus(target: string, inputs: readonly Buffer[]): void {
  const kept = inputs.filter(({ length }) => length <= keptLength);
  writeFileSync(join(folder, `${target}.txt`), kept.map((input) => `${lineOf(input)}\n`).join(''));
}

/** The inputs on which a target has failed. */
export function crashesOf(target: string): Buffer[] {
  if (!existsSync(crashFolder)) return [];
  const names = readdirSync(crashFolder).filter((name) => name.startsWith(`${target}-`));
  return names.flatMap((name) => inputsIn(join(crashFolder, name)));
}

/** The path for an input on which a target fails. */
export function crashPath(target: string, input: Buffer): string {
  mkdirSync(crashFolder, { recursive: true });
  const name = createHash('sha256').update(input).digest('hex').slice(0, 12);
  return join(crashFolder, `${target}-${name}.txt`);
}

/** Stores an input on which a target fails as a permanent test; returns its path. */
export function keepCrash(target: string, input: Buffer): string {
  const path = crashPath(target, input);
  writeFileSync(path, `${lineOf(input)}\n`);
  return path;
}

function inputsIn(path: string): Buffer[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => Buffer.from(JSON.parse(line), 'latin1'));
}

function lineOf(input: Buffer): string {
  return JSON.stringify(input.toString('latin1')).replace(
    /[\x7f-\xff]/g,
    (byte) => `\\u${byte.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

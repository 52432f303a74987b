import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../cli/run-cli.ts';
import { answerOf, judgeProgram, writeDocument } from './judges.ts';

const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
const generated = join(import.meta.dirname, 'node_modules/openapi-types.ts');

/** Generates types from a document, and compiles them against ours. */
async function compile(path: string) {
  await answerOf(judgeProgram('openapi-typescript'), [path, '--output', generated]);
  return answerOf(compiler, ['--project', import.meta.dirname]);
}

test('types that openapi-typescript makes of the document agree with ours in every operation', async () => {
  expect(await compile(writeDocument(temporaryFolder()))).toEqual({ exitCode: 0, stdout: '' });
});

test.each([
  { change: ['"paidPrice":{', '"price":{'], named: '"updateOrder: body"' },
  { change: ['"name":"first"', '"name":"firsts"'], named: '"listProducts: query"' },
] as const)('they differ from those of another document: $named', async ({ change, named }) => {
  const { stdout } = await compile(writeDocument(temporaryFolder(), change));
  expect(stdout).toContain(named);
});

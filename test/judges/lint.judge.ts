import { expect, test } from 'vitest';
import { temporaryFolder } from '../cli/run-cli.ts';
import { answerOf, judgeProgram, writeDocument } from './judges.ts';

const lint = async (path: string) => {
  const args = ['lint', path, '--extends=recommended', '--format=json'];
  const { exitCode, stdout } = await answerOf(judgeProgram('redocly'), args);
  const { totals, problems } = JSON.parse(stdout);
  return { exitCode, totals, rules: problems.map(({ ruleId }: { readonly ruleId: string }) => ruleId) };
};

test('the OpenAPI document has neither errors nor warnings for the linter of Redocly', async () => {
  const { exitCode, totals } = await lint(writeDocument(temporaryFolder()));
  expect({ exitCode, totals }).toEqual({ exitCode: 0, totals: { errors: 0, warnings: 0, ignored: 0 } });
});

test('the linter sees a reference to nothing', async () => {
  const path = writeDocument(temporaryFolder(), ['schemas/Job', 'schemas/Jobs']);
  expect(await lint(path)).toMatchObject({ exitCode: 1, rules: ['no-unresolved-refs'] });
});

import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readJob } from './mutant-job.ts';
import { switchable } from './switchable.ts';

/** Configuration for tests with mutants: `npm run campaign -- mutants`. */

const job = readJob();
const order = new Map(job.tests.map(({ path }, index) => [path, index]));

class JobOrder extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => order.get(relative('', moduleId)) ?? 0;
    return specifications.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

const config = defineConfig({
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      load(id) {
        const path = relative('', id);
        const mutants = job.mutants.filter((mutant) => mutant.path === path);
        return mutants.length === 0 ? undefined : switchable(readFileSync(path, 'utf8'), mutants);
      },
    },
  ],
  test: {
    include: job.tests.map(({ path }) => path),
    globalSetup: ['test/fresh-build.ts', 'test/temporary-files.ts'],
    setupFiles: ['test/property-seed.ts'],
    runner: 'test/mutants/mutant-runner.ts',
    sequence: { sequencer: JobOrder },
    reporters: ['dot'],
    // A separate process, so that its processor time is that of the tests.
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

export { config as default };

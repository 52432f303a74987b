import { defineConfig } from 'vitest/config';

const globalSetup = ['test/fresh-build.ts', 'test/temporary-files.ts'];
const setupFiles = ['test/property-seed.ts'];
/** A file for the results as JSON, if somebody counts them. */
const { REPORT_FILE: outputFile } = process.env;

export default defineConfig({
  test: {
    projects: [
      // A module is evaluated once in each worker, for all files: none keeps state of a test.
      {
        extends: true,
        test: { name: 'tests', include: ['test/**/*.test.ts'], globalSetup, setupFiles, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'campaign',
          include: ['test/**/*.campaign.ts'],
          globalSetup,
          setupFiles,
          // Ends what hangs, and is no promise: on two busy processors, a minute of work takes two.
          testTimeout: 180_000,
        },
      },
      // Needs what `npm run judges` installs.
      { extends: true, test: { name: 'judges', include: ['test/judges/*.judge.ts'], globalSetup } },
    ],
    ...(outputFile ? { reporters: ['default', ['json', { outputFile }]] } : {}),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine may take longer than the second that a poll has otherwise.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
});

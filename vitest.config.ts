import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      // Modules of our own are evaluated anew for each file, those of packages once for all: nothing keeps state in them.
      { extends: true, test: { name: 'tests', include: ['test/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'campaign', include: ['test/**/*.campaign.ts'] } },
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'tests', include: ['test/**/*.test.ts'] } },
      { extends: true, test: { name: 'campaign', include: ['test/**/*.campaign.ts'] } },
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});

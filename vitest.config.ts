import { defineConfig } from 'vitest/config';

/** unit: no servers. integration (*.it.test.ts): real servers. e2e: the real app, one at a time. */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    passWithNoTests: true,
    // a test that leaves a handle open must not hang the suite
    teardownTimeout: 10_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/**/*.it.test.ts', 'test/e2e/**'],
          testTimeout: 10_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.it.test.ts'],
          exclude: ['test/e2e/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          // the window shows a change at its next look, which may come later than vitest's own 1 s
          expect: { poll: { timeout: 5_000 } },
        },
      },
    ],
  },
});

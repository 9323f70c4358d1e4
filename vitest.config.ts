import { defineConfig } from 'vitest/config';
import { TEST_WORKERS } from './scripts/commands/test-workers.ts';

/**
 * Packages are tested from their sources: the `source` export condition needs no build; only tests that start a whole
 * process (testing/service-process.ts) or the product run what `npm test` has built. vitest hands the list to
 * Node, where `import` or `module` would make a `require` load an ES module.
 */
const conditions = ['source', 'node'];

/** The limits are for a host whose CPU is busy with something else. */
const expectations = { poll: { timeout: 60_000 } };

/** The tests that run whole products. */
const endToEnd = {
  isolate: false,
  testTimeout: 300_000,
  hookTimeout: 120_000,
};

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // eventsource, which the MCP clients and the AI SDK use, publishes its TypeScript under `source` too: Node cannot
    // run that from node_modules, Vite can.
    server: {
      deps: {
        inline: [/eventsource/, /@modelcontextprotocol\/(sdk|client)/, /@ai-sdk\//, /node_modules\/ai\//],
      },
    },
    maxWorkers: TEST_WORKERS,
    expect: expectations,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          // Pure code: a process for each file would cost twice the time of the tests.
          isolate: false,
          // Property tests and hashes take long on a busy machine.
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['packages/*/test/**/*.test.ts', 'tests/integration/**/*.test.ts'],
          globalSetup: ['packages/shared/src/testing/global-setup.ts'],
          // A process for each file would spend two thirds of its time loading what the previous file has loaded.
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          ...endToEnd,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          exclude: ['tests/e2e/web/**'],
          globalSetup: ['tests/fixtures/claude-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...endToEnd,
          name: 'web',
          include: ['tests/e2e/web/**/*.test.ts'],
          globalSetup: ['tests/fixtures/claude-setup.ts', 'tests/e2e/web/support/global-setup.ts'],
        },
      },
    ],
  },
});

import { defineConfig } from 'vitest/config';

const conditions = ['source', 'node'];

/** Programs of other makers that are no part of the installation: not in `npm test`, but in `npm run test:adapters`. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['tests/adapters/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});

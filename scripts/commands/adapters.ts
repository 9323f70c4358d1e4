/**
 * `npm run test:adapters`: the real adapters of Claude Code and Codex for the Agent Client Protocol, with scripted models
 * on loopback. They are no part of the installation (each takes 400 MB) and have to be on the PATH.
 */
import { runVitest } from './vitest-step.ts';

const {
  passed,
  failed,
  details = [],
} = await runVitest('adapters', ['--config=tests/adapters/vitest.config.ts']);
for (const detail of details) console.log(detail);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

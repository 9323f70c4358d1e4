/**
 * Makes dist/kubernetes-client.js, which a Coordinator with the executor `kubernetes` loads: one file of 60 MB of packages,
 * which only the build needs then.
 */
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './paths.mjs';

await build({
  absWorkingDir: root,
  entryPoints: { 'kubernetes-client': 'packages/kubernetes-client/src/main.ts' },
  outdir: join(root, 'dist'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  conditions: ['source'],
  charset: 'utf8',
  legalComments: 'none',
  minifySyntax: true,
  minifyWhitespace: true,
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
});

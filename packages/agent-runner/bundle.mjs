/**
 * Makes dist/runner.mjs: the whole runner in one file, because the account that agents run as may not be able
 * to read this checkout, and because one file starts several times faster than a tree of modules.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));

/** The client checks tool outputs with ajv only after it has listed the tools; we check with our own schemas. */
const withoutAjv = {
  name: 'without-ajv',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]sdk[\\/]dist[\\/]esm[\\/]validation[\\/]ajv-provider\.js$/ }, () => ({
      contents: `export class AjvJsonSchemaValidator {
        getValidator() { throw new Error('tool outputs are checked by the contract, not by ajv'); }
      }`,
    }));
  },
};

await build({
  absWorkingDir: here,
  entryPoints: ['src/main.ts'],
  outfile: process.argv[2] ?? join(here, 'dist/runner.mjs'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  conditions: ['source'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  plugins: [withoutAjv],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
});

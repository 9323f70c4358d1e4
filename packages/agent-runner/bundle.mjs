/**
 * Makes dist/runner.mjs: the whole runner in one file, because the account that agents run as may not be able
 * to read this checkout, and because its size is start time, which a person waits for.
 */
import { readFile } from 'node:fs/promises';
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

/** zod's own texts in fifty languages, and `z` as one object that cannot be shaken: two thirds of its size. */
const smallZod = {
  name: 'small-zod',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: `export { default as en } from './en.js';`,
    }));
    onLoad({ filter: /[\\/]packages[\\/](?:shared|agent-runner)[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(
        "import { z } from 'zod';",
        "import * as z from 'zod';",
      ),
      loader: 'ts',
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
  charset: 'utf8',
  legalComments: 'none',
  plugins: [withoutAjv, smallZod],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
});

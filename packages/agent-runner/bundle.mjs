/**
 * Makes dist/runner.mjs, and beside it a file for each driver and for what they share. The folder is all that a run
 * needs, because the account that agents run as may not be able to read this checkout. A driver is loaded only by the
 * runs that need it, because loading is start time, which a person waits for.
 *
 *   node bundle.mjs [folder]
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { withoutGateway } from '../../scripts/bootstrap/without-gateway.mjs';

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

async function withShakenZod(path) {
  const text = await readFile(path, 'utf8');
  return text.replace(/^import \{ z \} from (['"]zod(?:\/v4)?['"]);$/m, 'import * as z from $1;');
}

/** zod's own texts in fifty languages, and `z` as one object that cannot be shaken: two thirds of its size. */
const smallZod = {
  name: 'small-zod',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: `export { default as en } from './en.js';`,
    }));
    onLoad({ filter: /[\\/]packages[\\/](?:shared|agent-runner)[\\/]src[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: await withShakenZod(path),
      loader: 'ts',
    }));
    onLoad({ filter: /[\\/]@ai-sdk[\\/]openai-compatible[\\/]dist[\\/]index\.js$/ }, async ({ path }) => ({
      contents: await withShakenZod(path),
    }));
  },
};

/**
 * The libraries of drivers get a copy of zod. What they use of it would otherwise be in the file that the runners of all
 * providers load.
 */
const zodOfDrivers = {
  name: 'zod-of-drivers',
  setup({ onResolve, onLoad, resolve }) {
    const ofAllRunners =
      /[\\/](?:packages[\\/](?:shared|agent-runner)[\\/]src(?![\\/]drivers[\\/]openai)|@modelcontextprotocol[\\/]sdk)[\\/]/;
    onResolve({ filter: /^(?:zod(?:\/|$)|\.)/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      const isCopied = pluginData === 'copy' || (path.startsWith('zod') && !ofAllRunners.test(importer));
      if (!isCopied || pluginData === 'found') return undefined;
      const found = await resolve(path, { importer, kind, resolveDir, pluginData: 'found' });
      return { ...found, suffix: '?driver', pluginData: 'copy' };
    });
    onLoad({ filter: /[\\/]zod[\\/].*\.js$/ }, async ({ path, suffix }) =>
      suffix === '?driver' ? { contents: await readFile(path, 'utf8'), pluginData: 'copy' } : undefined,
    );
  },
};

/** Its licence does not let us pass it on: it stays out of what is built, in a file that each host makes for itself. */
const withoutClaudeSdk = {
  name: 'without-claude-sdk',
  setup({ onResolve }) {
    onResolve({ filter: /^@anthropic-ai\/claude-agent-sdk\/core$/ }, () => ({
      path: './claude-agent-sdk.mjs',
      external: true,
    }));
  },
};

const outdir = process.argv[2] ?? join(here, 'dist');

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { runner: 'src/main.ts' },
  outdir,
  outExtension: { '.js': '.mjs' },
  splitting: true,
  chunkNames: 'runner-[name]-[hash]',
  metafile: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  conditions: ['source'],
  minifySyntax: true,
  minifyWhitespace: true,
  charset: 'utf8',
  legalComments: 'none',
  plugins: [withoutAjv, smallZod, zodOfDrivers, withoutGateway, withoutClaudeSdk],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
});

const made = new Set(Object.keys(metafile.outputs).map((file) => basename(file)));
for (const name of await readdir(outdir))
  if (name.startsWith('runner-') && !made.has(name)) await rm(join(outdir, name));

/**
 * Makes claude-agent-sdk.mjs, and chunks beside it, from the Agent SDK that is installed here: the runner of provider
 * `claude` loads it. One file with what it needs, because agents may run as an account that cannot read this checkout.
 *
 *   node bundle-claude-sdk.mjs <folder>
 */
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const NAME = 'claude-agent-sdk';
const [, , outdir] = process.argv;

const { metafile } = await build({
  entryPoints: { [NAME]: fileURLToPath(import.meta.resolve('@anthropic-ai/claude-agent-sdk/core')) },
  outdir,
  outExtension: { '.js': '.mjs' },
  splitting: true,
  chunkNames: `${NAME}-[name]-[hash]`,
  metafile: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  charset: 'utf8',
  legalComments: 'none',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
});

const made = new Set(Object.keys(metafile.outputs).map((file) => basename(file)));
for (const name of await readdir(outdir))
  if (name.startsWith(NAME) && !made.has(name)) await rm(join(outdir, name));

/**
 * Makes dist/*.js: the supervisor, each service, the threads that check passkeys and compare vectors, and the client of
 * models, one file each. Node finds and reads one file instead of six hundred, which was more than half of the CPU time
 * of a start. Beside each stands its source map, which is read when the first error is logged
 * (platform/source-stack.ts).
 */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { root } from './paths.mjs';
import { withoutGateway } from './without-gateway.mjs';

const out = join(root, 'dist');
const services = ['rest-api', 'mcp-server', 'coordinator', 'memory'];
/** These modules look for their worker in their own folder, also in the bundle, where the worker is a separate entry. */
const BESIDE_THEIR_WORKER = ['scrypt-pool.ts', 'vector-thread.ts'];
const USES_ITS_ADDRESS = /import\.meta\.(?:url|dirname|filename)\b|\b__dirname\b|\b__filename\b/;

/**
 * A source map of one position, by which esbuild leaves a file out of ours. With all of the libraries the map of
 * rest-api has 3.1 MB instead of 0.7, and 75 MB in memory instead of 14.
 */
const UNMAPPED = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(
  JSON.stringify({ version: 3, sources: ['unmapped'], mappings: 'AAAA' }),
).toString('base64')}`;
const MAP_OF_LIBRARY = /^\/\/# sourceMappingURL=.*$/gm;

/** A file that reads others by its own address finds them from the bundle as well; libraries stay out of the map. */
const loadSource = {
  name: 'load-source',
  setup({ onLoad }) {
    onLoad({ filter: /\.(ts|mjs|cjs|js)$/ }, async ({ path }) => {
      const text = withAddress(path, await readFile(path, 'utf8'));
      const isLibrary = path.split(sep).includes('node_modules');
      return {
        contents: isLibrary ? text.replaceAll(MAP_OF_LIBRARY, '') + UNMAPPED : text,
        loader: path.endsWith('.ts') ? 'ts' : 'js',
      };
    });
  },
};

function withAddress(path, text) {
  if (!USES_ITS_ADDRESS.test(text) || BESIDE_THEIR_WORKER.includes(basename(path))) return text;
  return text
    .replaceAll('import.meta.url', urlOf(path))
    .replaceAll(
      /import\.meta\.dirname\b|(?<!(?:const|let|var) )\b__dirname\b/g,
      `__toPath(${urlOf(dirname(path))})`,
    )
    .replaceAll(
      /import\.meta\.filename\b|(?<!(?:const|let|var) )\b__filename\b/g,
      `__toPath(${urlOf(path)})`,
    );
}

function urlOf(path) {
  return `new URL(${JSON.stringify(relative(out, path).split(sep).join('/'))}, __bundle).href`;
}

/**
 * Loaded by the first question to a model, and by a Coordinator of a cluster (bundle-kubernetes-client.mjs), so no service
 * has them in its own file.
 */
const clientsApart = {
  name: 'clients-apart',
  setup({ onResolve }) {
    const apart = (filter, path) =>
      onResolve({ filter }, ({ kind }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
    apart(/^\.\/ai-sdk\.ts$/, './ai-sdk.js');
    apart(/^@aizuchi\/kubernetes-client$/, './kubernetes-client.js');
  },
};

await build({
  absWorkingDir: root,
  entryPoints: {
    supervisor: 'scripts/supervisor/main.ts',
    'scrypt-worker': 'packages/shared/src/core/credentials/scrypt-worker.ts',
    'vector-worker': 'packages/shared/src/core/memory/vectors/vector-worker.ts',
    'ai-sdk': 'packages/shared/src/platform/models/ai-sdk.ts',
    ...Object.fromEntries(services.map((name) => [name, `packages/${name}/src/main.ts`])),
  },
  outdir: out,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  conditions: ['source'],
  charset: 'utf8',
  legalComments: 'none',
  // Relative paths and no contents: nothing of the machine that built it.
  sourcemap: 'linked',
  sourcesContent: false,
  // Only asked for by a configuration written in TypeScript, which the queue of the memory has not.
  external: ['typescript'],
  plugins: [withoutGateway, clientsApart, loadSource],
  // CommonJS packages ask for Node's modules by `require`.
  banner: {
    js: [
      "import { createRequire as __createRequire } from 'node:module';",
      "import { fileURLToPath as __toPath } from 'node:url';",
      'const __bundle = import.meta.url;',
      'const require = __createRequire(__bundle);',
    ].join('\n'),
  },
});

import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, minify, type Plugin, transformWithOxc } from 'vite';
import { ROUTES } from '../shared/src/contract/routes.ts';

/** Where `npm start` serves the API; the dev server proxies it. */
const api = process.env.AIZUCHI_API_URL ?? 'http://127.0.0.1:4100';

export default defineConfig({
  plugins: [react(), tailwindcss(), routeTable(), withoutInjectedStyles(), serviceWorker(), compressed()],
  resolve: {
    conditions: ['source', 'module', 'browser', 'development|production'],
    alias: {
      'react-remove-scroll': fileURLToPath(new URL('src/lib/no-scroll-lock.ts', import.meta.url)),
    },
  },
  build: {
    target: 'es2023',
    // Fonts and icons are files: the policy of the page allows no data: for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        // Every file costs a request with its headers. So the code that the first page needs is one file, and code
        // that several pages share is split only where that saves more than it costs.
        chunkFileNames: ({ name }) => `assets/${name.split('~', 1)[0]}-[hash].js`,
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 4 },
            // Most pages import these small files: merged into a shared chunk, they would make the first page load that
            // chunk.
            {
              name: 'small',
              test: /[\\/]src[\\/](?:lib[\\/](?:form|error-text|chat-search|hooks[\\/]use-beside-chat)|components[\\/](?:ErrorNote|Panel|Chip|Time))\.tsx?$/,
              priority: 3,
            },
            // The chat and the comments of a task share them; merged into a shared chunk, every page would load them and
            // what shows diffs.
            {
              name: 'files',
              test: /[\\/]src[\\/]features[\\/]attachments[\\/]/,
              minShareCount: 2,
              priority: 2,
            },
            // What is said of failures, in both languages: merged into a shared chunk, the board would load it.
            {
              name: 'reasons',
              test: /[\\/]platform[\\/]texts[\\/](?:run|reason)-texts/,
              priority: 2,
            },
            // What opens over the page (menus, tips, dialogs) is loaded when the page is idle.
            {
              name: 'over',
              test: /[\\/]node_modules[\\/](?:@radix-ui[\\/](?!react-slot|react-compose-refs)|@floating-ui|aria-hidden)/,
              entriesAware: true,
              entriesAwareMergeThreshold: 1_500,
              minShareCount: 2,
              priority: 2,
            },
            {
              name: 'shared',
              // What sets up agents, and what shows their runs, is on few pages, and small enough to be merged into
              // what all pages load.
              test: /^(?!.*[\\/](?:src[\\/]features[\\/](?:settings|runs|changes|conversations)|node_modules[\\/]anser)[\\/])/,
              entriesAware: true,
              entriesAwareMergeThreshold: 1_500,
              minShareCount: 2,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    // The API checks the origin, so the proxy sends the API's own.
    proxy: { '/api': { target: api, ws: true, changeOrigin: true, headers: { origin: api } } },
  },
});

/**
 * `virtual:route-table`: method and path of every route of the contract. The schemas beside them (and zod) stay
 * out of the page; only the development build parses answers.
 */
function routeTable(): Plugin {
  const id = 'virtual:route-table';
  return {
    name: 'aizuchi-route-table',
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load(source) {
      if (source !== `\0${id}`) return undefined;
      const entries = Object.entries(ROUTES).map(([name, { method, path }]) => [name, { method, path }]);
      return `export const ROUTE_TABLE = ${JSON.stringify(Object.fromEntries(entries))};`;
    },
  };
}

/** sonner writes a <style> at start, which the page's policy refuses; its style sheet is imported instead. */
function withoutInjectedStyles(): Plugin {
  return {
    name: 'aizuchi-no-injected-styles',
    transform(code, id) {
      if (!/[\\/]sonner[\\/]dist[\\/]index\.mjs/.test(id)) return undefined;
      return { code: code.replace(/^__insertCSS\(.*\);$/m, ''), map: null };
    },
  };
}

/**
 * Writes /sw.js, which is one file without imports. It holds a hash of all files of the build: a browser takes another
 * build for another worker.
 */
function serviceWorker(): Plugin {
  const source = fileURLToPath(new URL('src/service-worker/service-worker.ts', import.meta.url));
  return {
    name: 'aizuchi-service-worker',
    apply: 'build',
    writeBundle: {
      // Before it is compressed.
      order: 'pre',
      sequential: true,
      async handler({ dir = '' }, bundle) {
        const hash = createHash('sha256');
        for (const name of Object.keys(bundle).sort()) hash.update(name);
        for (const name of ['index.html', 'offline.html', 'offline.css', 'offline.js'])
          hash.update(await readFile(join(dir, name)));
        const { code } = await transformWithOxc(await readFile(source, 'utf8'), source);
        const build = JSON.stringify(hash.digest('hex').slice(0, 16));
        const small = await minify('sw.js', code.replaceAll('BUILD', build).replace(/^export \{\};?$/m, ''));
        await writeFile(join(dir, 'sw.js'), small.code);
      },
    },
  };
}

/**
 * Writes `name.js.br` and `name.js.gz` beside `name.js`. The server sends what the client accepts, and compresses nothing
 * itself. Brotli is a sixth smaller; small files would gain less than the request costs.
 */
function compressed(): Plugin {
  return {
    name: 'aizuchi-compressed',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const files = (await readdir(dir, { recursive: true })).filter((name) => /\.(js|css|svg)$/.test(name));
      await Promise.all(
        files.map(async (name) => {
          const content = await readFile(join(dir, name));
          await writeFile(join(dir, `${name}.gz`), await gzipped(content, { level: 9 }));
          if (content.length < BROTLI_FROM_BYTES) return;
          await writeFile(join(dir, `${name}.br`), await brotlied(content, BROTLI_OPTIONS));
        }),
      );
    },
  };
}

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);
const BROTLI_FROM_BYTES = 10_000;
const BROTLI_OPTIONS = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
};

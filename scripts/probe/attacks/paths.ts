import { type Attack, must, mustAll } from '../attack.ts';
import { hostOf, requestOf, sendRaw } from '../support/raw.ts';

const LONG = 'a'.repeat(8_000);
/** Sent without any encoding. */
const PATHS = [
  '/assets/../../package.json',
  '/assets/../index.html',
  '/assets/..%2f..%2fpackage.json',
  '/assets/%2e%2e/%2e%2e/package.json',
  '/assets/%2e%2e%2f%2e%2e%2fpackage.json',
  '/assets/..%5c..%5cpackage.json',
  '/assets//x',
  '/assets//etc/passwd',
  '/assets/%00',
  '/assets/x%00.js',
  '/assets/',
  '/assets/.',
  '/assets/%',
  '/assets/%zz',
  '/assets/%c0%ae%c0%ae/x',
  `/assets/${LONG}`,
  '/api/docs/static//x',
  '/api/docs/static/../../../package.json',
  '/api/docs/static/%2e%2e/%2e%2e/package.json',
  '/api/docs/static/%00',
  `/api/docs/static/${LONG}`,
  '/api/projects/%00',
  '/api/projects/%zz',
  '/api/projects/..%2fagents',
  `/api/projects/${LONG}`,
  '//example.com/%2e%2e',
  '/../../../etc/passwd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/.env',
  '/.git/config',
];
const OF_A_FILE = /"packageManager"|root:x:|\[core\]/;
/** The page itself, which the server returns for every path that is not otherwise used. */
const IS_PAGE = /^HTTP\/1\.1 200 .*<!doctype html/is;

export const paths: readonly Attack[] = [
  {
    row: 13,
    name: 'paths outside, doubled slashes, NUL, backslash, 8 kB',
    limitMs: 50_000,
    pace: 'quiet',
    async run(world) {
      const statuses = new Set<number>();
      const tries = PATHS.map((path) => [
        path.slice(0, 60),
        async () => {
          const headers = [`Host: ${hostOf(world.web)}`, `Authorization: Bearer ${world.owner.token}`];
          const { status, text } = await sendRaw(world.web, requestOf(`GET ${path} HTTP/1.1`, headers));
          statuses.add(status);
          must(!OF_A_FILE.test(text), 'answered with a file from outside');
          const isRefused = status >= 400 && status < 500;
          must(isRefused || (!path.startsWith('/api/') && IS_PAGE.test(text)), `answered ${status}`);
        },
      ]);
      await mustAll(Object.fromEntries(tries));
      return `${PATHS.length} paths: ${[...statuses].join(', ')}, nothing of a file`;
    },
  },
];

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { bundledChromium } from './bundled-chromium.ts';

export interface Chromium {
  readonly executablePath: string;
  /** In addition to the environment of the tests. */
  readonly env: Readonly<Record<string, string>>;
}

const cacheRoot = fileURLToPath(new URL('../../../../node_modules/.cache/aizuchi', import.meta.url));

/** Bare machines have no GPU, a small /dev/shm and often no user namespaces. The browser opens only our own page. */
const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--font-render-hinting=none'];

export async function launchChromium(further: readonly string[] = []): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  return chromium.launch({
    executablePath,
    args: [...ARGUMENTS, ...further],
    env: { ...environment(), ...env },
  });
}

/**
 * Looks for `$CHROME_PATH`, the installed package, a browser on the PATH, and Playwright's own download, in this
 * order; throws if there is none.
 */
async function findChromium(): Promise<Chromium> {
  const chosen = process.env.CHROME_PATH;
  if (chosen) return { executablePath: chosen, env: {} };
  const bundled = await bundledChromium(cacheRoot);
  if (bundled) return bundled;
  const installed = onPath(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']);
  if (installed !== undefined) return { executablePath: installed, env: {} };
  const downloaded = chromium.executablePath();
  if (existsSync(downloaded)) return { executablePath: downloaded, env: {} };
  throw new Error(
    'The tests need a Chromium, and none was found. Set CHROME_PATH, or install chromium or google-chrome.',
  );
}

function onPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => existsSync(file));
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

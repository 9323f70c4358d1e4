import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { execa } from 'execa';
import { z } from 'zod';
import type { Chromium } from './chromium.ts';

const run = promisify(execFile);
/** Chromium is in a package of its own, so that a start does not download a browser. */
const installed = createRequire(new URL('../../../browser/package.json', import.meta.url));
const packageSchema = z.object({ version: z.string() });

/**
 * Returns the Chromium of @sparticuz/chromium (Linux x64), unpacked once into a folder named after its version. The
 * package's own unpacker writes to the system's temp folder, and its own arguments disable web security.
 */
export async function bundledChromium(cacheRoot: string): Promise<Chromium | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const source = packageRoot(installed.resolve('@sparticuz/chromium'));
  const { version } = packageSchema.parse(JSON.parse(await readFile(join(source, 'package.json'), 'utf8')));
  const folder = join(cacheRoot, `chromium-${version}`);
  if (!existsSync(join(folder, 'chromium'))) {
    await unpack(join(source, 'bin'), folder);
    await removeOtherVersions(cacheRoot, version);
  }
  const executablePath = join(folder, 'chromium');
  return {
    executablePath,
    env: { FONTCONFIG_FILE: await writeFontsConf(folder), ...(await libraryPath(executablePath, folder)) },
  };
}

function packageRoot(entry: string): string {
  let folder = dirname(entry);
  while (!existsSync(join(folder, 'bin', 'chromium.br'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('@sparticuz/chromium brought no browser.');
    folder = above;
  }
  return folder;
}

/**
 * Unpacks into a temporary folder beside the target first: a killed test run leaves nothing partial, and two runs at
 * once do not collide.
 */
async function unpack(bin: string, folder: string): Promise<void> {
  const partial = `${folder}.${process.pid}`;
  await mkdir(partial, { recursive: true });
  await Promise.all([
    pipeline(
      createReadStream(join(bin, 'chromium.br')),
      createBrotliDecompress(),
      createWriteStream(join(partial, 'chromium')),
    ),
    ...['al2023.tar.br', 'swiftshader.tar.br', 'fonts.tar.br'].map((name) => untar(join(bin, name), partial)),
  ]);
  await chmod(join(partial, 'chromium'), 0o755);
  await rename(partial, folder).catch(async (error: unknown) => {
    await rm(partial, { recursive: true, force: true });
    if (!existsSync(join(folder, 'chromium'))) throw error;
  });
}

/** Each has 210 MB. Those that other test runs are unpacking of this version stay. */
export async function removeOtherVersions(cacheRoot: string, version: string): Promise<void> {
  for (const name of await readdir(cacheRoot)) {
    if (!name.startsWith('chromium-')) continue;
    if (name === `chromium-${version}` || name.startsWith(`chromium-${version}.`)) continue;
    await rm(join(cacheRoot, name), { recursive: true, force: true });
  }
}

/** tar stops reading at the archive's end, which may come before the last padding: that it went well, it says itself. */
async function untar(archive: string, folder: string): Promise<void> {
  const tar = execa('tar', ['-x', '-C', folder], { stdout: 'ignore' });
  const fed = pipeline(createReadStream(archive), createBrotliDecompress(), tar.stdin).catch(
    (error: unknown) => error,
  );
  await tar;
  const failure = await fed;
  if (failure !== undefined && !isClosedEarly(failure)) throw failure;
}

function isClosedEarly(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Chromium aborts when fontconfig finds no font at all, and a bare machine has none. */
async function writeFontsConf(folder: string): Promise<string> {
  const file = join(folder, 'fonts.conf');
  const folders = [join(folder, 'fonts'), '/usr/share/fonts', '/usr/local/share/fonts'];
  await writeFile(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders
      .map((path) => `<dir>${path}</dir>`)
      .join('')}<cachedir>${join(folder, 'font-cache')}</cachedir></fontconfig>`,
  );
  return file;
}

/** Adds libraries only if the system lacks some; the system's own libraries are preferred. */
async function libraryPath(executable: string, folder: string): Promise<Record<string, string>> {
  const { stdout } = await run('ldd', [executable]).catch(() => ({ stdout: '=> not found' }));
  if (!stdout.includes('=> not found')) return {};
  const inherited = process.env.LD_LIBRARY_PATH;
  return { LD_LIBRARY_PATH: [join(folder, 'lib'), inherited].filter(Boolean).join(':') };
}

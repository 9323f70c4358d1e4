import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { modules, root } from './paths.mjs';

// Inside node_modules, so that removing that folder also removes the stamps.
const folder = join(modules, '.aizuchi');

/** A step is up to date if its last success had the same fingerprint. */
export function isUpToDate(name, fingerprint) {
  try {
    return readFileSync(join(folder, name), 'utf8') === fingerprint;
  } catch {
    return false;
  }
}

/** True if a step has ever succeeded here, with any fingerprint. */
export function wasEverDone(name) {
  return existsSync(join(folder, name));
}

export function markUpToDate(name, fingerprint) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), fingerprint);
}

export function hashOfContents(files) {
  const hash = createHash('sha256').update(process.platform + process.arch);
  for (const file of files) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

/** A hash of names, sizes and times; takes a few milliseconds for all sources. */
export function hashOfTimes(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of filesUnder(path)) {
      const { mtimeMs, size } = statSync(file);
      hash.update(`${file}\0${mtimeMs}\0${size}\0`);
    }
  }
  return hash.digest('hex');
}

/** A hash of names and contents: equal for equal sources, wherever and whenever they were unpacked. */
export function hashOfSources(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesUnder))
    hash.update(`${relative(root, file).split(sep).join('/')}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function filesUnder(path) {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status) return [];
  if (!status.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

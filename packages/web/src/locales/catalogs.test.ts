import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHAT_LOG_FAULT_CODES } from '@aizuchi/shared/contract/chat-log-fault-codes';
import { ERROR_CODES } from '@aizuchi/shared/contract/error-codes';
import { describe, expect, test } from 'vitest';
import { en } from './en.ts';
import { laterEn } from './en-later.ts';
import { ja } from './ja.ts';
import { laterJa } from './ja-later.ts';

const source = fileURLToPath(new URL('..', import.meta.url));

interface Texts {
  readonly [key: string]: string | Texts;
}

function flatten(texts: Texts, prefix = ''): [key: string, text: string][] {
  return Object.entries(texts).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[prefix + key, value]] : flatten(value, `${prefix}${key}.`),
  );
}

const PLURAL = /_(one|other)$/;
const japanese = new Map(flatten({ ...ja, ...laterJa }));
const english = new Map(flatten({ ...en, ...laterEn }));
const base = (key: string) => key.replace(PLURAL, '');
const placeholders = (text: string) => [...text.matchAll(/{{\s*([\w.]+)/g)].map(([, name]) => name).sort();

/** Reads the sources for quoted strings, arguments of `t(`, and prefixes of keys that are composed at run time. */
function readSources(): { quoted: Set<string>; called: Set<string>; beginnings: Set<string> } {
  const found = { quoted: new Set<string>(), called: new Set<string>(), beginnings: new Set<string>() };
  const collect = (into: Set<string>, code: string, pattern: RegExp) => {
    for (const [, key = ''] of code.matchAll(pattern)) into.add(key);
  };
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const isSource = entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name);
    if (!isSource || entry.parentPath.includes('locales')) continue;
    const code = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    collect(found.quoted, code, /["']([\w.]+)["']/g);
    collect(found.called, code, /(?:\bt\(|i18nKey=\{?)\s*["']([\w.]+)["']/g);
    collect(found.beginnings, code, /`((?:[a-z]\w*\.)+)\$\{/gi);
  }
  return found;
}

describe('the texts of the page', () => {
  test('both languages have the same keys', () => {
    const keysOf = (texts: ReadonlyMap<string, string>) => [...new Set([...texts.keys()].map(base))].sort();
    expect(keysOf(english)).toEqual(keysOf(japanese));
  });

  test('every plural text has the forms of its language', () => {
    const counting = [...japanese.keys()].filter((key) => PLURAL.test(key)).map(base);
    for (const key of counting) {
      expect(english.has(`${key}_one`), `${key}_one in en`).toBe(true);
      expect(english.has(`${key}_other`), `${key}_other in en`).toBe(true);
    }
  });

  test('both languages have the same placeholders', () => {
    for (const [key, text] of english) {
      const other = japanese.get(key) ?? japanese.get(`${base(key)}_other`) ?? '';
      expect(placeholders(text), key).toEqual(placeholders(other));
    }
  });

  test('no text is empty', () => {
    for (const [key, text] of [...english, ...japanese]) expect(text.trim(), key).not.toBe('');
  });

  test('every error code has a text', () => {
    for (const code of ERROR_CODES) expect(japanese.has(`errors.${code}`), `errors.${code}`).toBe(true);
  });

  test('every fault of a transcript has a text', () => {
    for (const code of CHAT_LOG_FAULT_CODES)
      expect(japanese.has(`projects.chatLogFaults.${code}`), code).toBe(true);
  });

  const { quoted, called, beginnings } = readSources();
  const keys = new Set([...japanese.keys()].map(base));

  test('every key that the page uses exists', () => {
    expect([...called].filter((key) => !keys.has(key))).toEqual([]);
  });

  test('every key is used', () => {
    const isUsed = (key: string) => quoted.has(key) || [...beginnings].some((start) => key.startsWith(start));
    expect([...keys].filter((key) => !isUsed(key))).toEqual([]);
  });
});

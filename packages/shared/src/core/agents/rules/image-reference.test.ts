import { expect, test } from 'vitest';
import { isImageReference } from './image-reference.ts';

const SHA256 = `sha256:${'a'.repeat(64)}`;

test.each([
  'aizuchi-runner',
  'ubuntu:24.04',
  'me/runner',
  'ghcr.io/me/my_runner:1.2',
  'registry.example.org:5000/a/b/c__d--e:latest',
  'localhost/runner',
  '[fd00::1]:5000/runner',
  'Registry.Example.org/runner:V1_x',
  `runner@${SHA256}`,
  `ghcr.io/me/runner:1@sha512:${'0'.repeat(128)}`,
])('%s is an image', (name) => expect(isImageReference(name)).toBe(true));

test.each([
  ['empty', ''],
  ['blanks', 'run ner'],
  ['a line end', 'runner\n'],
  ['capitals in the name', 'Runner'],
  ['a scheme', 'https://ghcr.io/me/runner'],
  ['no name', 'ghcr.io/'],
  ['an empty part', 'ghcr.io//runner'],
  ['a part that ends with a sign', 'ghcr.io/me-/runner'],
  ['two tags', 'runner:1:2'],
  ['an empty tag', 'runner:'],
  ['a tag that is too long', `runner:${'1'.repeat(129)}`],
  ['a digest that is too short', `runner@${SHA256.slice(0, -1)}`],
  ['a digest of capitals', `runner@${SHA256.toUpperCase()}`],
  ['a digest of another kind', `runner@md5:${'a'.repeat(32)}`],
  ['a digest before the tag', `runner@${SHA256}:1`],
  ['the id of an image', 'a'.repeat(64)],
  ['an option', '--privileged'],
  ['too long', `a/${'b'.repeat(254)}`],
])('%s is none', (_what, name) => expect(isImageReference(name)).toBe(false));

test('the longest name is one', () => expect(isImageReference(`a/${'b'.repeat(253)}`)).toBe(true));

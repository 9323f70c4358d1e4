import { expect, test } from 'vitest';
import { isOfRegistry, pullQueryOf } from './image-name.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

test.each([
  ['ghcr.io/me/runner', { fromImage: 'ghcr.io/me/runner', tag: 'latest' }],
  ['ghcr.io/me/runner:1.2', { fromImage: 'ghcr.io/me/runner', tag: '1.2' }],
  ['127.0.0.1:5000/runner', { fromImage: '127.0.0.1:5000/runner', tag: 'latest' }],
  ['127.0.0.1:5000/runner:2', { fromImage: '127.0.0.1:5000/runner', tag: '2' }],
  [`me/runner@${DIGEST}`, { fromImage: 'me/runner', tag: DIGEST }],
  [`me/runner:1@${DIGEST}`, { fromImage: 'me/runner', tag: DIGEST }],
])('%s', (image, query) => {
  expect(pullQueryOf(image)).toEqual(query);
  expect(isOfRegistry(image)).toBe(true);
});

test.each(['aizuchi-runner', 'aizuchi-runner:2'])('%s was built here', (image) => {
  expect(isOfRegistry(image)).toBe(false);
});

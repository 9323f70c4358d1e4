import type { Attachment } from '@aizuchi/shared/contract/attachment';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../lib/api/api-error.ts';
import { FileDrafts, FileFault, mayRetry } from './drafts.ts';
import { MAX_FILE_BYTES, MAX_FILES } from './limits.ts';

const uploads: { file: File; signal: AbortSignal; done: PromiseWithResolvers<Attachment> }[] = [];
const create = () =>
  new FileDrafts('draft.test.files', (file, { signal, onProgress }) => {
    const done = Promise.withResolvers<Attachment>();
    uploads.push({ file, signal, done });
    onProgress(0.5);
    return done.promise;
  });
const stored = ({ name, size }: File): Attachment => ({
  id: `fil_${name}`,
  name,
  mediaType: 'text/plain',
  size,
});
const settled = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  const values = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
    removeItem: (key: string) => values.delete(key),
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  uploads.length = 0;
});

test('files are uploaded at once; those that are there survive a reload and leave with the message', async () => {
  const drafts = create();
  drafts.add([new File(['one'], 'a.txt'), new File(['two'], 'b.txt')]);
  expect(drafts.files.get()).toMatchObject([{ name: 'a.txt', progress: 0.5 }, { name: 'b.txt' }]);
  const [a] = uploads;
  if (a) a.done.resolve(stored(a.file));
  await settled();
  const reloaded = create();
  expect(reloaded.files.get()).toMatchObject([{ name: 'a.txt', attachment: { id: 'fil_a.txt' } }]);
  expect(reloaded.take()).toEqual([{ id: 'fil_a.txt', name: 'a.txt', mediaType: 'text/plain', size: 3 }]);
  expect(create().files.get()).toEqual([]);
});

test('what is too large, empty or too much is not sent; what failed for a moment can be tried again', async () => {
  const drafts = create();
  const large = new File([new Uint8Array(MAX_FILE_BYTES + 1)], 'large.bin');
  drafts.add([large, new File([], 'empty.txt'), new File(['x'], 'ok.txt')]);
  expect(uploads).toHaveLength(1);
  uploads[0]?.done.reject(new ApiError('network', ''));
  await settled();
  const [first, second, third] = drafts.files.get();
  expect([first?.error, second?.error]).toEqual([
    new FileFault('file_too_large'),
    new FileFault('file_empty'),
  ]);
  if (!first || !third) throw new Error('a file is gone');
  expect([mayRetry(first), mayRetry(third)]).toEqual([false, true]);
  drafts.retry(third.key);
  uploads[1]?.done.resolve(stored(third.file ?? large));
  await settled();
  expect(drafts.files.get()[2]).toMatchObject({ attachment: { id: 'fil_ok.txt' }, error: undefined });
  drafts.add(Array.from({ length: MAX_FILES }, (_, n) => new File(['x'], `${n}.txt`)));
  expect(drafts.files.get().filter(({ error }) => error instanceof FileFault)).toHaveLength(2 + 3);
});

test('who removes a file ends its upload', async () => {
  const drafts = create();
  drafts.add([new File(['one'], 'a.txt')]);
  drafts.remove(drafts.files.get()[0]?.key ?? '');
  expect(uploads[0]?.signal.aborted).toBe(true);
  uploads[0]?.done.reject(new ApiError('network', ''));
  await settled();
  expect(drafts.files.get()).toEqual([]);
});

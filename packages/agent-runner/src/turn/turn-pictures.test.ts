import type { Message } from '@aizuchi/shared/contract/chat';
import { expect, test } from 'vitest';
import { picturesOf } from './turn-pictures.ts';

const file = (id: string, mediaType: string, size = 1_000) => ({ id, name: `${id}.x`, mediaType, size });
const message = (id: string, ...attachments: ReturnType<typeof file>[]) =>
  ({ id, content: 'x', attachments }) as unknown as Message;

function fetching(images: Record<string, string | Error>) {
  const asked: string[] = [];
  const logged: string[] = [];
  const client = {
    image: async (id: string) => {
      asked.push(id);
      const image = images[id];
      if (image instanceof Error) throw image;
      return image;
    },
  };
  return {
    asked,
    logged,
    source: { client, signal: new AbortController().signal, log: (line: string) => void logged.push(line) },
  };
}

test('the pictures of the messages are fetched once, when they are asked for', async () => {
  const { asked, source } = fetching({ a: 'AA', b: 'BB' });
  const messages = [
    message('msg_1', file('a', 'image/png'), file('t', 'text/plain')),
    message('msg_2', file('b', 'image/webp')),
  ];
  const pictures = picturesOf(messages, source);
  expect(asked).toEqual([]);
  expect(await pictures?.()).toEqual([
    { messageId: 'msg_1', name: 'a.x', mediaType: 'image/png', data: 'AA' },
    { messageId: 'msg_2', name: 'b.x', mediaType: 'image/webp', data: 'BB' },
  ]);
  await pictures?.();
  expect(asked).toEqual(['a', 'b']);
});

test('what is too large or too much is left to the tool, and one that cannot be fetched costs only itself', async () => {
  const { logged, source } = fetching({ gone: new Error('attachment_not_found'), a: 'AA' });
  const large = file('large', 'image/png', 4_000_000);
  const pictures = picturesOf(
    [message('msg_1', large, file('gone', 'image/png'), file('a', 'image/png'))],
    source,
  );
  expect((await pictures?.())?.map(({ name }) => name)).toEqual(['a.x']);
  expect(logged).toEqual([expect.stringContaining('gone')]);
  const many = fetching(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`p${n}`, 'AA'])));
  const all = Array.from({ length: 20 }, (_, n) => file(`p${n}`, 'image/jpeg', 2_000_000));
  expect(await picturesOf([message('msg_1', ...all)], many.source)?.()).toHaveLength(7);
  expect(picturesOf([message('msg_1', file('t', 'text/plain'))], source)).toBeUndefined();
});

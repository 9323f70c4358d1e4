import { type Message, messageSchema } from '@aizuchi/shared/contract/chat';
import { expect, test } from 'vitest';
import { picturesOf } from './turn-pictures.ts';

const file = (id: string, mediaType: string, size = 1_000) => ({ id, name: `${id}.x`, mediaType, size });
const message = (id: string, ...attachments: ReturnType<typeof file>[]): Message =>
  messageSchema.parse({
    id,
    projectId: 'prj_1',
    senderId: 'owner',
    senderName: 'Owner',
    sender: 'user',
    content: 'x',
    createdAt: '2026-11-28T00:00:00.000Z',
    visible: true,
    attachments,
    state: 'delivered',
    seq: 1,
  });

/** The beginning of a PNG of this size. */
function png(width: number, height: number): string {
  const bytes = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), Buffer.alloc(17)]);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString('base64');
}
const [A, B] = [png(1, 2), png(3, 4)];

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
  const { asked, source } = fetching({ a: A, b: B });
  const messages = [
    message('msg_1', file('a', 'image/png'), file('t', 'text/plain')),
    message('msg_2', file('b', 'image/webp')),
  ];
  const pictures = picturesOf(messages, source);
  expect(asked).toEqual([]);
  expect(await pictures?.()).toEqual([
    { messageId: 'msg_1', name: 'a.x', mediaType: 'image/png', data: A },
    { messageId: 'msg_2', name: 'b.x', mediaType: 'image/webp', data: B },
  ]);
  await pictures?.();
  expect(asked).toEqual(['a', 'b']);
});

test('what is too large or too much is left to the tool, and one that cannot be fetched costs only itself', async () => {
  const { logged, source } = fetching({ gone: new Error('attachment_not_found'), a: A });
  const large = file('large', 'image/png', 4_000_000);
  const pictures = picturesOf(
    [message('msg_1', large, file('gone', 'image/png'), file('a', 'image/png'))],
    source,
  );
  expect((await pictures?.())?.map(({ name }) => name)).toEqual(['a.x']);
  expect(logged).toEqual([expect.stringContaining('gone')]);
  const many = fetching(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`p${n}`, A])));
  const all = Array.from({ length: 20 }, (_, n) => file(`p${n}`, 'image/jpeg', 2_000_000));
  expect(await picturesOf([message('msg_1', ...all)], many.source)?.()).toHaveLength(7);
  expect(picturesOf([message('msg_1', file('t', 'text/plain'))], source)).toBeUndefined();
});

test('a picture that a model would refuse is left out, and the turn goes on', async () => {
  const broken = Buffer.from('\x89PNG\r\n\x1a\nand so on', 'latin1').toString('base64');
  const { logged, source } = fetching({ wide: png(8_001, 1), broken, edge: png(8_000, 8_000) });
  const files = ['wide', 'broken', 'edge'].map((id) => file(id, 'image/png'));
  const pictures = await picturesOf([message('msg_1', ...files)], source)?.();
  expect(pictures?.map(({ name }) => name)).toEqual(['edge.x']);
  expect(logged).toHaveLength(2);
});

import type { TurnFrame } from '@aizuchi/shared/contract/turn';
import { expect, test } from 'vitest';
import { turnStream } from './turn-stream.ts';

const FRAME: TurnFrame = { id: 3, event: 'token', data: { text: 'a\nb' } };

test('a frame is one event with its id, its data on one line', async () => {
  async function* frames() {
    yield FRAME;
  }
  const pieces = [];
  for await (const piece of turnStream(frames())) pieces.push(piece);
  expect(pieces).toEqual([': \n\n', 'id: 3\nevent: token\ndata: {"text":"a\\nb"}\n\n']);
});

test('where nothing comes, comments do, and no frame is lost by them', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* frames() {
    await promise;
    yield FRAME;
  }
  const pieces: string[] = [];
  for await (const piece of turnStream(frames(), 1)) {
    pieces.push(piece);
    if (pieces.length === 4) resolve();
  }
  expect(pieces.filter((piece) => piece.startsWith('id:'))).toHaveLength(1);
  expect(pieces.slice(0, 4)).toEqual(Array(4).fill(': \n\n'));
});

test('a client that leaves ends the iteration', async () => {
  let isOver = false;
  async function* frames() {
    try {
      yield FRAME;
      yield FRAME;
    } finally {
      isOver = true;
    }
  }
  for await (const piece of turnStream(frames())) if (piece.startsWith('id:')) break;
  await expect.poll(() => isOver).toBe(true);
});

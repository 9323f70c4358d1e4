import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { expect, test } from 'vitest';
import { splitOutput } from './docker/framed-output.ts';
import { FollowedOutput } from './followed-output.ts';

function frame(stream: 1 | 2, content: string): Buffer {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(content.length, 4);
  return Buffer.concat([header, Buffer.from(content)]);
}

test('what a broken connection has left out is read at the end, and nothing twice', async () => {
  const whole = [frame(1, 'one\n'), frame(2, 'bad\n'), frame(1, 'two\n'), frame(2, 'worse\n')];
  const asked: unknown[] = [];
  const broken = Promise.withResolvers<void>();
  const output = new FollowedOutput({
    logger: createLogger('test', { level: 'silent' }),
    read: async ({ isFollowing }) => {
      asked.push(isFollowing);
      const body = Readable.from(isFollowing ? whole.slice(0, 2) : whole);
      body.on('close', () => broken.resolve());
      return splitOutput(body);
    },
  });
  const said = Promise.all([text(output.stdout), text(output.stderr)]);
  await broken.promise;
  await output.end({ isReachable: true });
  expect(await said).toEqual(['one\ntwo\n', 'bad\nworse\n']);
  expect(asked).toEqual([true, false]);
});

test('a node that is lost is not asked for the rest', async () => {
  const asked: unknown[] = [];
  const output = new FollowedOutput({
    logger: createLogger('test', { level: 'silent' }),
    read: async ({ isFollowing }) => {
      asked.push(isFollowing);
      return splitOutput(Readable.from([frame(1, 'one\n')]));
    },
  });
  const said = text(output.stdout);
  output.stderr.resume();
  await output.end({ isReachable: false });
  expect(await said).toBe('one\n');
  expect(asked).toEqual([true]);
});

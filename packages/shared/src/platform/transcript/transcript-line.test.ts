import fc from 'fast-check';
import { expect, test } from 'vitest';
import { transcriptLine, transcriptLineBytes } from './transcript-line.ts';

const id = fc.stringMatching(/^[a-z][a-z0-9_-]{1,63}$/);
const message = fc.record(
  {
    id,
    senderId: id,
    sender: fc.constantFrom('user' as const, 'agent' as const, 'system' as const),
    humanId: fc.option(id),
    receiverId: fc.option(id),
    // Any well-formed text, with what JSON and line readers stumble over.
    content: fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400, size: 'max' }),
      fc.string({
        unit: fc.constantFrom(
          '\n',
          '\r',
          '"',
          '\\',
          '\u2028',
          '\u2029',
          '\u0001',
          '\u007f',
          '語',
          '🎌',
          '\ufeff',
        ),
      }),
    ),
    createdAt: fc
      .date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    visible: fc.boolean(),
    conversationId: fc.option(id),
    relatedTaskId: fc.option(id),
  },
  { requiredKeys: ['id', 'senderId', 'sender', 'content', 'createdAt', 'visible'] },
);

test('the length is known before the time of storing is', () => {
  fc.assert(
    fc.property(message, ({ createdAt, ...input }) => {
      expect(transcriptLineBytes(input)).toBe(Buffer.byteLength(transcriptLine({ ...input, createdAt })));
    }),
  );
});

test('a line is one line, and reads back as what was said', () => {
  fc.assert(
    fc.property(message, (input) => {
      const line = transcriptLine(input);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
      expect(JSON.parse(line)).toEqual(given);
      expect(Buffer.from(line).toString()).toBe(line);
    }),
  );
});

test('the keys stand in the order of the contract', () => {
  const line = transcriptLine({
    relatedTaskId: 'tsk_1',
    conversationId: 'conv_1',
    visible: true,
    createdAt: '2026-11-21T22:48:56.123Z',
    content: 'こんにちは',
    receiverId: 'agt_2',
    humanId: 'owner',
    sender: 'user',
    senderId: 'user',
    id: 'msg_1',
  });
  expect(line).toBe(
    '{"id":"msg_1","senderId":"user","sender":"user","humanId":"owner","receiverId":"agt_2","content":"こんにちは",' +
      '"createdAt":"2026-11-21T22:48:56.123Z","visible":true,"conversationId":"conv_1","relatedTaskId":"tsk_1"}\n',
  );
});

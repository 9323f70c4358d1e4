import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

test('trap 12: no secret reaches a line, however deep it stands', () => {
  const lines: string[] = [];
  const log = createLogger('test', { destination: { write: (line) => void lines.push(line) } });
  log.info({ passkey: 'hush', agentId: 'worker' }, 'one');
  log.info(
    { req: { headers: { authorization: 'Bearer hush', cookie: 'hush', 'set-cookie': 'hush' } } },
    'two',
  );
  log.child({ subsystem: 'auth' }).warn({ body: { token: 'hush', ticket: 'hush' } }, 'three');
  expect(lines).toHaveLength(3);
  expect(lines.join('')).not.toContain('hush');
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({
    level: 'warn',
    service: 'test',
    subsystem: 'auth',
    msg: 'three',
  });
});

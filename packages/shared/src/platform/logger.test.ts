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

test('an error that is logged keeps type, message, causes and what it carries', () => {
  const lines: string[] = [];
  const log = createLogger('test', { destination: { write: (line) => void lines.push(line) } });
  const error = Object.assign(new TypeError('outer', { cause: new Error('inner') }), { code: 'E_OUTER' });
  log.warn({ err: error }, 'failed');
  log.warn({ err: 'no error' }, 'failed');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    err: {
      type: 'TypeError',
      code: 'E_OUTER',
      message: 'outer: inner',
      stack: expect.stringContaining('logger.test.ts'),
    },
  });
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ err: 'no error' });
});

test('of an error of Postgres no line holds the row that was refused', () => {
  const lines: string[] = [];
  const log = createLogger('test', { destination: { write: (line) => void lines.push(line) } });
  const refused = () =>
    Object.assign(new Error('violates check constraint "c"'), {
      severity: 'ERROR',
      code: '23514',
      routine: 'ExecConstraints',
      constraint: 'c',
      detail: 'Failing row contains (1, a secret of Mika).',
      where: 'JSON data, line 1: a secret of Mika',
    });
  log.warn({ err: refused() }, 'one');
  log.warn({ err: new AggregateError([refused()], 'two') }, 'two');
  expect(lines.join('')).not.toContain('Mika');
  expect(JSON.parse(lines[0] ?? '').err).toMatchObject({ code: '23514', constraint: 'c' });
});

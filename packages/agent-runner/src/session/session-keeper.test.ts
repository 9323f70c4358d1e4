import { expect, test } from 'vitest';
import type { DriverSession, SessionOptions } from '../driver.ts';
import { SessionKeeper } from './session-keeper.ts';

const OPTIONS: SessionOptions = {
  agentId: 'agt_1',
  agentName: 'Aiko',
  mcp: { url: 'http://127.0.0.1:1/mcp', token: 'ticket' },
  tools: { call: () => expect.unreachable() },
  log: () => undefined,
  hide: (text) => text,
  remember: async () => undefined,
  reportModels: () => undefined,
  reportUsage: async () => undefined,
};

function sessionWith(close: () => Promise<void>): DriverSession {
  return { concurrentTurns: false, run: () => expect.unreachable(), close };
}

function keeper(open: () => Promise<DriverSession>, closeLimitMs = 60_000) {
  const logged: string[] = [];
  const sessions = new SessionKeeper({
    driver: { open },
    sessionOptions: async () => OPTIONS,
    closeLimitMs,
    log: (sentence) => void logged.push(sentence),
  });
  return { sessions, logged };
}

test('it is opened once, and closed once', async () => {
  let opened = 0;
  let closed = 0;
  const { sessions } = keeper(async () => {
    opened += 1;
    return sessionWith(async () => {
      closed += 1;
    });
  });
  sessions.openEarly();
  expect(await sessions.open()).toBe(await sessions.open());
  await Promise.all([sessions.close(), sessions.close()]);
  expect([opened, closed]).toEqual([1, 1]);
  await expect(sessions.open()).rejects.toThrow('closed');
});

test('what could not be opened is opened again by the next turn', async () => {
  let tries = 0;
  const { sessions, logged } = keeper(async () => {
    tries += 1;
    if (tries === 1) throw new Error('not signed in');
    return sessionWith(async () => undefined);
  });
  sessions.openEarly();
  await expect(sessions.open()).rejects.toThrow('not signed in');
  expect(logged).toEqual(['the agent could not be started: Error: not signed in']);
  await sessions.open();
  expect(tries).toBe(2);
});

test('a broken session is closed before another one is opened; a second turn of it changes nothing', async () => {
  const steps: string[] = [];
  const closing = Promise.withResolvers<void>();
  let opened = 0;
  const { sessions } = keeper(async () => {
    opened += 1;
    steps.push(`open ${opened}`);
    return sessionWith(async () => {
      await closing.promise;
      steps.push('closed');
    });
  });
  const broken = await sessions.open();
  sessions.replace(broken);
  const next = sessions.open();
  sessions.replace(broken);
  closing.resolve();
  expect(await next).toBe(await sessions.open());
  expect(steps).toEqual(['open 1', 'closed', 'open 2']);
});

test('a session that does not close is not waited for', async () => {
  const { sessions, logged } = keeper(async () => sessionWith(() => new Promise(() => undefined)), 10);
  await sessions.open();
  await sessions.close();
  expect(logged).toEqual(['the agent did not close its session in 10 ms']);
});

test('an agent that is still starting is not waited for either', async () => {
  const { sessions } = keeper(() => new Promise(() => undefined), 10);
  sessions.openEarly();
  await sessions.close();
});

import { expect, it } from 'vitest';
import { count } from './connected.ts';

const given = (id: string, marked = false) => ({ id, marked });

it('is good when each message was given and answered, with any number of marked repeats', () => {
  const states = new Map([['msg_a', 'answered']]);
  expect(count(states, [given('msg_a'), given('msg_a', true)])).toMatchObject({
    acknowledged: 1,
    lost: 0,
    doubled: 0,
    unseen: 0,
    repeated: 1,
    violations: [],
  });
});

it('counts a message that was given again without a mark', () => {
  const states = new Map([['msg_a', 'answered']]);
  expect(count(states, [given('msg_a'), given('msg_a')])).toMatchObject({ lost: 0, doubled: 1 });
});

it('counts a message that was answered but never given as unseen and as lost', () => {
  const states = new Map([['msg_a', 'answered']]);
  expect(count(states, [])).toMatchObject({
    lost: 1,
    unseen: 1,
    violations: ['msg_a is answered, and was never given to the agent'],
  });
});

it('counts a message that is not answered as lost', () => {
  const states = new Map([['msg_a', 'delivered']]);
  expect(count(states, [given('msg_a')])).toMatchObject({
    lost: 1,
    unseen: 0,
    violations: ['msg_a is delivered, given: true'],
  });
});

import { PERSON_MESSAGE_MAX } from '@aizuchi/shared/contract/chat';
import { expect, test } from 'vitest';
import { PERSON_MESSAGE_MAX_LENGTH } from './limits.ts';

test("the page's limit is the contract's", () => {
  expect(PERSON_MESSAGE_MAX_LENGTH).toBe(PERSON_MESSAGE_MAX);
});

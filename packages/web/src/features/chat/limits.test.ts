import * as contract from '@aizuchi/shared/contract/chat';
import { expect, test } from 'vitest';
import { MAX_PERSON_MESSAGE_LENGTH } from './limits.ts';

test("the page's limit is the contract's", () => {
  expect(MAX_PERSON_MESSAGE_LENGTH).toBe(contract.MAX_PERSON_MESSAGE_LENGTH);
});

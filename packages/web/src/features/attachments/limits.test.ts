import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '@aizuchi/shared/contract/attachment';
import { expect, test } from 'vitest';
import { MAX_FILE_BYTES, MAX_FILES } from './limits.ts';

test('the limits are those of the contract', () => {
  expect([MAX_FILE_BYTES, MAX_FILES]).toEqual([MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS]);
});

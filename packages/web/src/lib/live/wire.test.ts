import * as contract from '@aizuchi/shared/contract/ws';
import { expect, test } from 'vitest';
import { WS_CLOSE, WS_PATH } from './wire.ts';

test('path and close codes are those of the contract', () => {
  expect({ WS_PATH, WS_CLOSE }).toEqual({ WS_PATH: contract.WS_PATH, WS_CLOSE: contract.WS_CLOSE });
});

import { expect, test } from 'vitest';
import { codeAndSignal } from './container-end.ts';

test.each([
  [0, 0, null],
  [7, 7, null],
  [127, 127, null],
  [128, 128, null],
  [137, null, 'SIGKILL'],
  [143, null, 'SIGTERM'],
  [255, 255, null],
  [undefined, null, null],
])('the code %s of a container is exit code %s, signal %s', (code, exitCode, signal) => {
  expect(codeAndSignal(code)).toEqual({ exitCode, signal });
});

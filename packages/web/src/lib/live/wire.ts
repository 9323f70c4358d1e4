import type { ServerFrame } from '@aizuchi/shared/contract/ws';

export type { ClientFrame, ServerFrame } from '@aizuchi/shared/contract/ws';

/** What is told of a project: changes with a cursor, and the words of a growing answer without. */
export type LiveFrame = Exclude<
  ServerFrame,
  { readonly type: 'subscribed' | 'inbox_changed' | 'error' | 'pong' }
>;

// The frames are the contract's; the numbers are repeated because the module that holds them brings its schemas
// along. wire.test.ts compares them.
export const WS_PATH = '/api/ws';
export const WS_CLOSE = { unauthenticated: 4401, forbidden: 4403, tooSlow: 4408, stopping: 4410 } as const;

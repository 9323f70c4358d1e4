import type { ServerFrame } from '@aizuchi/shared/contract/ws';

export type { ClientFrame, ServerFrame } from '@aizuchi/shared/contract/ws';

/** The frames of a project: changes with a cursor, and deltas of a streamed answer without one. */
export type LiveFrame = Exclude<
  ServerFrame,
  { readonly type: 'subscribed' | 'inbox_changed' | 'projects_changed' | 'error' | 'pong' }
>;

// Types come from the contract; the values are repeated here, because the contract's module contains schemas.
// wire.test.ts compares them.
export const WS_PATH = '/api/ws';
export const WS_CLOSE = { unauthenticated: 4401, forbidden: 4403, tooSlow: 4408, stopping: 4410 } as const;

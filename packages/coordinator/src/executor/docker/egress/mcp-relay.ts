import { connect, createServer, type Server } from 'node:net';
import { joinSockets } from './joined-sockets.ts';
import type { KeptRuns } from './kept-runs.ts';

interface RelayOptions {
  readonly runs: KeptRuns;
  /** The mcp-server as we reach it. */
  readonly to: { readonly host: string; readonly port: number };
}

/** The mcp-server for runs that reach nothing but us; TLS goes through it as it is. */
export function mcpRelay({ runs, to }: RelayOptions): Server {
  return createServer({ allowHalfOpen: true }, (near) => {
    const run = runs.admit(near);
    if (!run) return;
    const far = connect({ ...to, allowHalfOpen: true });
    run.add(far);
    joinSockets(near, far);
  });
}

import { setTimeout as delay } from 'node:timers/promises';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';

/** A held heartbeat returns a control at once; the server expects one heartbeat every 10 s. */
const BEAT_SECONDS = 10;
const RETRY_MS = 500;

export interface HeartbeatOptions {
  readonly client: ToolClient;
  /** Most answers are ready before this and need no heartbeat. */
  readonly firstBeatAfterMs: number;
  /** What the agent does now: thinking, writing, tool, waiting. */
  readonly phase: () => string;
  readonly onControl: (control: 'interrupt' | 'stop') => void;
  readonly signal: AbortSignal;
}

/**
 * Reports every ten seconds that the turn is alive, and passes on a control of a person. Ends after the first control and
 * with the signal. Rejects when the session has ended; the main loop then gets the reason.
 */
export async function beatDuringTurn(options: HeartbeatOptions): Promise<void> {
  const { signal } = options;
  try {
    await delay(options.firstBeatAfterMs, undefined, { signal });
    while (!signal.aborted) {
      const control = await beat(options);
      if (control) return options.onControl(control);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function beat({ client, phase, signal }: HeartbeatOptions): Promise<'interrupt' | 'stop' | null> {
  const sentAt = performance.now();
  try {
    const args = { phase: phase(), hold_seconds: BEAT_SECONDS };
    const { control } = await client.call('heartbeat', args, {
      timeoutMs: (BEAT_SECONDS + 15) * 1000,
      signal,
    });
    // A server that does not hold must not be asked in a tight loop.
    if (control === null && performance.now() - sentAt < RETRY_MS)
      await delay(RETRY_MS, undefined, { signal });
    return control;
  } catch (error) {
    if (!(error instanceof ToolUnreachable)) throw error;
    await delay(RETRY_MS, undefined, { signal });
    return null;
  }
}

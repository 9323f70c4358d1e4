import { setTimeout as delay } from 'node:timers/promises';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { ToolUnreachable } from '@aizuchi/shared/mcp-client/tool-errors';

/** A control comes through a held beat at once; the server expects one every 10 s. */
const BEAT_SECONDS = 10;
const RETRY_MS = 500;

export interface HeartbeatOptions {
  readonly client: ToolClient;
  /** Most answers are ready before this: they need no beat. */
  readonly firstBeatAfterMs: number;
  readonly onControl: (control: 'interrupt' | 'stop') => void;
  readonly signal: AbortSignal;
}

/**
 * Says every ten seconds that the turn lives, and hears when it shall not go on. Ends after the first control,
 * with the signal, or when the session does not know us any more; the main loop then learns why.
 */
export async function beatDuringTurn(options: HeartbeatOptions): Promise<void> {
  const { client, signal } = options;
  try {
    await delay(options.firstBeatAfterMs, undefined, { signal });
    while (!signal.aborted) {
      const control = await beat(client, signal);
      if (control) return options.onControl(control);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function beat(client: ToolClient, signal: AbortSignal): Promise<'interrupt' | 'stop' | null> {
  const sentAt = performance.now();
  try {
    const args = { phase: 'thinking', hold_seconds: BEAT_SECONDS };
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

import type { AgentActions } from '@aizuchi/shared/contract/tools/coordinator-tools';
import type { ToolInput } from '@aizuchi/shared/contract/tools/tools';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';

type Beat = ToolInput<'wait_for_agent_actions'>;
/** What servers of earlier releases refuse, the newest first. */
const NEWER = ['as_of', 'keeps_egress', 'pulling'] as const;
export type NewerField = (typeof NEWER)[number];

interface Calling {
  readonly call: (beat: Beat) => Promise<AgentActions>;
  /** The server does not know this. */
  readonly leftOut: (field: NewerField) => void;
}

/** Calls again without what a server of an earlier release does not know. */
export async function understoodBeat(beat: Beat, { call, leftOut }: Calling): Promise<AgentActions> {
  try {
    return await call(beat);
  } catch (error) {
    const newest = NEWER.find((field) => beat[field] !== undefined);
    if (!newest || !(error instanceof ToolRefused && error.code === 'invalid_input')) throw error;
    leftOut(newest);
    const { [newest]: _, ...known } = beat;
    return understoodBeat(known, { call, leftOut });
  }
}

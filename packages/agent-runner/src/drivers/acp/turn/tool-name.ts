import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import { claudeMetaSchema } from '../agent-messages.ts';

/** The name of the tool, where the agent says it. */
export function toolNameOf({ name, _meta }: ToolCallUpdate): string | undefined {
  return name ?? claudeMetaSchema.safeParse(_meta).data?.claudeCode.toolName;
}

import { join } from 'node:path';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { z } from 'zod';
import { controlFolder } from '../../../tests/fixtures/agent-life.ts';
import { RECORD_FILE, type Recorded, writeLine } from '../record-lines.ts';

export const client = new ToolClient({
  url: process.env.AIZUCHI_MCP_URL ?? '',
  token: process.env.AIZUCHI_PASSKEY ?? '',
  name: 'recording-agent',
  version: '1',
});

export function write(line: Recorded): void {
  writeLine(join(controlFolder, RECORD_FILE), line);
}

/** Writes down what an answer of get_pending_messages held, and gives it back. */
export function note(given: PendingMessages): PendingMessages {
  if (given.source === null) return given;
  write({
    kind: 'messages',
    batch: batchOf(given),
    conversationId: given.source.kind === 'conversation' ? given.source.conversation_id : null,
    messages: given.pending_messages.map((message) => ({
      id: message.id,
      marked: message.redelivered ?? repeatOf(message) ?? repeatOf(given) ?? false,
    })),
  });
  return given;
}

export function batchOf(given: PendingMessages): string | null {
  return z.object({ batch_id: z.string().optional() }).parse(given).batch_id ?? null;
}

function repeatOf(given: object): boolean | undefined {
  return z.object({ repeat: z.boolean().optional() }).parse(given).repeat;
}

/** Receipts that the next call names: what they stand for has been written down. */
export const received = {
  receipts: [] as string[],
  add(told: object): void {
    const { receipt } = z.object({ receipt: z.string().optional() }).parse(told);
    if (receipt !== undefined) this.receipts.push(receipt);
  },
  take(): { received?: string[] } {
    return this.receipts.length === 0 ? {} : { received: this.receipts.splice(0) };
  },
};

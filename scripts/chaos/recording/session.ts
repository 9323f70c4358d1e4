import { join } from 'node:path';
import type { Message } from '@aizuchi/shared/contract/chat';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import { ReceiptBook } from '@aizuchi/shared/mcp-client/receipt-book';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { controlFolder } from '../../../tests/fixtures/agent-life.ts';
import { RECORD_FILE, type Recorded, writeLine } from '../record-lines.ts';

/** Names a receipt with the call after the one that brought it: by then its content has been recorded. */
export const client = new ToolClient({
  url: process.env.AIZUCHI_MCP_URL ?? '',
  token: process.env.AIZUCHI_PASSKEY ?? '',
  name: 'recording-agent',
  version: '1',
  receipts: new ReceiptBook(),
});

export function write(line: Recorded): void {
  writeLine(join(controlFolder, RECORD_FILE), line);
}

write({ kind: 'started' });

/** Records what an answer of get_pending_messages contained, and returns it. */
export function note(given: PendingMessages): PendingMessages {
  if (given.source === null) return given;
  write({
    kind: 'messages',
    batch: given.batch_id ?? '',
    conversationId: given.source.kind === 'conversation' ? given.source.conversation_id : null,
    messages: marksOf(given.pending_messages),
  });
  return given;
}

export function marksOf(messages: readonly Message[]): { id: string; marked: boolean }[] {
  return messages.map(({ id, redelivered, repeat }) => ({
    id,
    marked: redelivered === true || repeat === true,
  }));
}

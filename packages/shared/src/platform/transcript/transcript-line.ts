/** What one line of chat.jsonl tells. */
export interface TranscriptMessage {
  readonly id: string;
  readonly senderId: string;
  readonly sender: 'user' | 'agent' | 'system';
  readonly humanId?: string | null | undefined;
  readonly receiverId?: string | null | undefined;
  readonly content: string;
  /** ISO-8601 UTC with milliseconds: always 24 characters. */
  readonly createdAt: string;
  readonly visible: boolean;
  readonly conversationId?: string | null | undefined;
  readonly relatedTaskId?: string | null | undefined;
}

const ANY_INSTANT = '2000-01-01T00:00:00.000Z';

/** The line of a message, with its line end. The same message always gives the same bytes. */
export function transcriptLine(message: TranscriptMessage): string {
  const { humanId, receiverId, conversationId, relatedTaskId } = message;
  return `${JSON.stringify({
    id: message.id,
    senderId: message.senderId,
    sender: message.sender,
    humanId: humanId ?? undefined,
    receiverId: receiverId ?? undefined,
    content: message.content,
    createdAt: message.createdAt,
    visible: message.visible,
    conversationId: conversationId ?? undefined,
    relatedTaskId: relatedTaskId ?? undefined,
  })}\n`;
}

/** How many bytes the line will have: known before the database says when the message was stored. */
export function transcriptLineBytes(message: Omit<TranscriptMessage, 'createdAt'>): number {
  return Buffer.byteLength(transcriptLine({ ...message, createdAt: ANY_INSTANT }));
}

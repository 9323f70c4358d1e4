/** The sourceRef of an event that was made from a turn of a chat or a conversation: it names its first message. */
export function messageRef(messageId: string): string {
  return `msg:${messageId}`;
}

/** The message that a sourceRef names; undefined: it names something else. */
export function messageOfRef(sourceRef: string): string | undefined {
  return sourceRef.startsWith('msg:') ? sourceRef.slice(4) : undefined;
}

/** What of an event or a state is embedded. */
export type EmbeddedItem =
  | {
      readonly type: 'event';
      readonly createdAt: Date;
      readonly actor: string | null;
      readonly userText: string | null;
      readonly assistantText: string | null;
      readonly caption: string | null;
    }
  | { readonly type: 'state'; readonly kind: string; readonly bodyText: string; readonly payload: string };

/** Characters: more than most models read. */
export const LONGEST_TEXT = 8_000;
const LONGEST_PAYLOAD = 1_200;

export function embeddingText(item: EmbeddedItem): string {
  return (item.type === 'event' ? eventText(item) : stateText(item)).slice(0, LONGEST_TEXT).toWellFormed();
}

function eventText(event: EmbeddedItem & { type: 'event' }): string {
  const { actor, userText, assistantText, caption } = event;
  const said = [userText, assistantText].filter(Boolean).join('\n');
  const head = [event.createdAt.toISOString().slice(0, 10), actor].filter(Boolean).join(' · ');
  return [head, said, caption ? `[${caption}]` : ''].filter(Boolean).join('\n');
}

function stateText({ kind, bodyText, payload }: EmbeddedItem & { type: 'state' }): string {
  return [`${kind}: ${bodyText}`, payload === '{}' ? '' : payload.slice(0, LONGEST_PAYLOAD)]
    .filter(Boolean)
    .join('\n');
}

import type { Message } from '@aizuchi/shared/contract/chat';
import { client, write } from './session.ts';

const QUESTION = { question: 'Go on?', header: 'Go on', options: [{ label: 'Yes' }, { label: 'No' }] };

/** The cards of this agent, each about one message. */
export class Cards {
  readonly #states = new Map<string, 'open' | 'resolved'>();

  get areOpen(): boolean {
    return [...this.#states.values()].includes('open');
  }

  /** The card of a message is the same for every process of this agent. */
  async showFor({ id, content }: Message): Promise<void> {
    const toolUseId = `card_${id}`;
    // This process showed it: get_next_action will report its outcome.
    if (!/ ask$/.test(content) || this.#states.has(toolUseId)) return;
    const { status } = await client.callUntilAnswered('ask_user_question', {
      questions: [{ ...QUESTION, question: `Go on with ${id}?` }],
      tool_use_id: toolUseId,
      hold_seconds: 0,
    });
    if (status === 'pending') this.#states.set(toolUseId, 'open');
    else this.noteClick(toolUseId, status, true);
  }

  /** `marked`: the answer said that it is a repeat, or this agent had asked for it. */
  noteClick(toolUseId: string, status: string, marked: boolean): void {
    write({ kind: 'click', toolUseId, status, marked });
    this.#states.set(toolUseId, 'resolved');
  }
}

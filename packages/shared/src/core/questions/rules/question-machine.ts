import {
  type CardChange,
  type CardCommand,
  type CardRefusal,
  type CardSnapshot,
  decideCard,
} from '../../cards/rules/card-machine.ts';
import type { Decision } from '../../rules/decision.ts';
import { unreachable } from '../../rules/unreachable.ts';
import type { QuestionState } from './question-states.ts';

/*
 *            answer (a person, the first valid one) · follow (the card that it waits with was answered)
 *          ┌─────────────────────────────────────────▶ answered
 *  pending ┴─ expire · cancel · orphan_over: those of every card (cards/rules/card-machine.ts)
 */
export interface QuestionSnapshot extends CardSnapshot {
  readonly state: QuestionState;
}

export type QuestionCommand =
  | CardCommand
  /** `open`: whether another card of its session is shown now. */
  | { readonly type: 'show'; readonly open: boolean }
  | { readonly type: 'answer' }
  /** The card that it follows was answered. */
  | { readonly type: 'follow' };

export type QuestionChange = CardChange | { readonly to: 'shown' } | { readonly to: 'answered' };

export type QuestionRefusal = CardRefusal | 'not_shown' | 'another_is_open';

const refuse = (refusal: QuestionRefusal): Decision<QuestionChange, QuestionRefusal> => ({
  ok: false,
  refusal,
});
const change = (value: QuestionChange): Decision<QuestionChange, QuestionRefusal> => ({ ok: true, value });

/** The transitions; pure, `now` is read after the row lock. */
export function decideQuestion(
  card: QuestionSnapshot,
  command: QuestionCommand,
  now: Date,
): Decision<QuestionChange, QuestionRefusal> {
  switch (command.type) {
    case 'show':
    case 'answer':
    case 'follow':
      return card.state === 'pending' ? decidePending(card, command) : refuse('already_resolved');
    default:
      return decideCard(card, command, now);
  }
}

function decidePending(
  card: QuestionSnapshot,
  command: Exclude<QuestionCommand, CardCommand>,
): Decision<QuestionChange, QuestionRefusal> {
  switch (command.type) {
    case 'show':
      if (card.shownAt !== null) return refuse('nothing_to_do');
      return command.open ? refuse('another_is_open') : change({ to: 'shown' });
    case 'answer':
      return card.shownAt === null ? refuse('not_shown') : change({ to: 'answered' });
    case 'follow':
      return card.shownAt === null ? change({ to: 'answered' }) : refuse('nothing_to_do');
    default:
      return unreachable(command);
  }
}

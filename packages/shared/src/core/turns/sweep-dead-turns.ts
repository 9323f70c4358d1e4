import { rowStep } from '../sweep-step.ts';
import { endDeadTurnOf } from './end-turn.ts';
import { type DeadTurn, deadTurns } from './turn-queries.ts';

/** A turn whose process died is kept as far as it came; nobody has to ask for it. */
export const deadChatTurns = rowStep<DeadTurn>({
  deadlines: `select lease_until as at from chat_turns where state = 'running'`,
  candidates: async ({ deps }, after, limit) =>
    deadTurns(deps.database.db, await deps.database.now(), after?.eventId ?? '', limit),
  nameOf: ({ eventId }) => eventId,
  act: ({ deps }, { eventId }) => endDeadTurnOf(deps.database, eventId),
});

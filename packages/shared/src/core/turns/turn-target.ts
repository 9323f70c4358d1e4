import type { PostTurnBody } from '../../contract/turn.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { type Person, requireMember, requireWriter } from '../access/person.ts';
import { currentAccessLevel } from '../access/person-queries.ts';
import { requireChatTarget } from '../chat/chat-target.ts';
import { findSpeaker, isPerson, type SpeakerRow, type TurnRow } from './turn-queries.ts';

type Named = Pick<PostTurnBody, 'agentId' | 'projectId'>;

/** The agent that a person may talk with here, in the contract's order of checks. @throws AppError */
export async function requireSpeaker(
  db: Queryable,
  person: Person,
  { agentId, projectId }: Named,
): Promise<SpeakerRow> {
  if (projectId !== undefined) await requireChatTarget(db, person, { agentId, projectId }, 'writes');
  else if (person.accessLevel !== 'owner') throw projectMissing();
  const speaker = await findSpeaker(db, agentId);
  if (!speaker) throw new AppError('agent_not_found', 'There is no such agent.');
  if (speaker.type === 'human')
    throw new AppError('agent_is_human', 'This is a person; chats are with AI agents.');
  return speaker;
}

/** A client of one's own, or any name that is no other person's. @throws AppError forbidden */
export async function requireOwnClient(db: Queryable, person: Person, clientId: string): Promise<void> {
  if (clientId !== person.id && (await isPerson(db, clientId)))
    throw new AppError('forbidden', 'clientId is another person. Name a client of your own.');
}

/** Who may see the project of a turn sees the turn; what is general, only owners. @throws AppError event_not_found */
export async function requireTurn(
  db: Queryable,
  person: Person,
  turn: TurnRow | undefined,
  call: 'reads' | 'writes',
): Promise<TurnRow> {
  if (!turn || !(await maySee(db, person, turn)))
    throw new AppError('event_not_found', 'There is no turn with this event, or you may not see it.');
  if (call === 'writes') requireWriter(person);
  return turn;
}

/** By the rights of this moment. */
export async function mayStillRead(
  db: Queryable,
  person: Person,
  turn: Pick<TurnRow, 'projectId'>,
): Promise<boolean> {
  const accessLevel = await currentAccessLevel(db, person.id);
  return accessLevel !== undefined && (await maySee(db, { ...person, accessLevel }, turn));
}

async function maySee(
  db: Queryable,
  person: Person,
  { projectId }: Pick<TurnRow, 'projectId'>,
): Promise<boolean> {
  if (projectId === null) return person.accessLevel === 'owner';
  return requireMember(db, person, projectId).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'project_not_found') return false;
      throw error;
    },
  );
}

function projectMissing(): AppError {
  const message = 'must name one of your projects; only owners may omit it';
  return new AppError('invalid_input', `Not valid: projectId: ${message}.`, {
    details: { issues: [{ path: 'projectId', message }] },
  });
}

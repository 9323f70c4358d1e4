import { Readable } from 'node:stream';
import type { ChatImportResult } from '../../../contract/chat-import.ts';
import type { Queryable, Tx } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { transcriptLineBytes } from '../../../platform/transcript/transcript-line.ts';
import { transcriptName } from '../../../platform/transcript/transcript-place.ts';
import { appendAudit } from '../../access/audit-queries.ts';
import {
  type Person,
  projectArchived,
  projectNotFound,
  requireMember,
  requireOwner,
} from '../../access/person.ts';
import { currentAccessLevel } from '../../access/person-queries.ts';
import type { ServiceDeps } from '../../deps.ts';
import { LineFault, linesOf } from '../../memory/import/ndjson-lines.ts';
import { parseLine } from '../../memory/import/parse-line.ts';
import type { MembershipKey } from '../../rules/work-key.ts';
import { lockChatTarget } from '../chat-target.ts';
import { chatThreadId } from '../thread-id.ts';
import {
  agentsOfProject,
  holdsOther,
  type ImportedMessage,
  insertImported,
  lockChatImports,
  markReadByAll,
  peopleOf,
  threadsOf,
  workingDirectoryOf,
} from './chat-import-queries.ts';
import { chatLineSchema, idInThread, isMessageId, type OldMessage, oldMessage } from './chat-line.ts';
import { invalid, oldChats } from './old-chat-files.ts';

const LINE_BYTES = 1_048_576;
/** Of all files together: the readers of the change log wait for the transaction. */
const MAX_LINES = 20_000;
const BATCH_ROWS = 1_000;

interface OldChat {
  readonly messages: readonly OldMessage[];
  readonly ofConversations: number;
}

type Deps = Pick<ServiceDeps, 'database' | 'config' | 'transcripts'>;

/** Takes the chats of a folder that was used before (`.ai-pm/agents/<id>/chat.jsonl`) into the history of a project. */
export class ChatImport {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * All lines of all agents of the project, or nothing; those that are there already are left out.
   * @throws AppError import_invalid: `details` name the file and the line; chat_not_empty: something was said since
   */
  async run(person: Person, projectId: string): Promise<ChatImportResult> {
    const { database, config, transcripts } = this.#deps;
    const { status } = await requireMember(database.db, person, projectId);
    requireOwner(person);
    if (status === 'archived') throw projectArchived();
    const workingDirectory = await workingDirectoryOf(database.db, projectId);
    if (workingDirectory === undefined) throw projectNotFound();
    const members = new Set(await agentsOfProject(database.db, projectId));
    const { files, unknown } = await oldChats(workingDirectory, config.workspaceRoots, members);
    const chats = await parsedChats(files);
    const agents = await database.transaction(async (tx) => {
      await lockChatImports(tx.db);
      requireOwner({ ...person, accessLevel: (await currentAccessLevel(tx.db, person.id)) ?? 'viewer' });
      const results: ChatImportResult['agents'] = [];
      // In the order of their ids, as everybody locks several memberships.
      for (const [agentId, chat] of chats) results.push(await store(tx, { projectId, agentId }, chat));
      const imported = results.reduce((sum, one) => sum + one.imported, 0);
      const about = { actorId: person.id, targetId: projectId, projectId, details: { imported } };
      if (imported > 0) await appendAudit(tx.db, { ...about, action: 'project.chats_imported' });
      return results;
    });
    // The file that was read becomes chat.jsonl.altered-<time>, when it was not written by us.
    for (const { agentId, imported } of agents)
      if (imported > 0) await transcripts.repair({ projectId, agentId });
    return { agents, unknown: [...unknown] };
  }
}

async function parsedChats(files: ReadonlyMap<string, Buffer>): Promise<[string, OldChat][]> {
  const chats: [string, OldChat][] = [];
  let lines = 0;
  for (const [agentId, bytes] of files) {
    const file = transcriptName(agentId);
    const messages = new Map<string, OldMessage>();
    let ofConversations = 0;
    try {
      for await (const { number, bytes: line } of linesOf(Readable.from([bytes]), LINE_BYTES)) {
        lines += 1;
        if (lines > MAX_LINES)
          throw new AppError('payload_too_large', `At most ${MAX_LINES} lines can be imported at once.`);
        const parsed = parseLine(line, chatLineSchema);
        if (!parsed) continue;
        if ('fault' in parsed) throw new LineFault(number, parsed.fault);
        const message = oldMessage(parsed.value, agentId);
        if (!message) ofConversations += 1;
        else if (isOther(messages.get(message.id), message))
          throw new LineFault(number, 'id: another line has it, and says something else');
        else messages.set(message.id, message);
      }
    } catch (error) {
      throw error instanceof LineFault ? invalid(file, error.fault, error.line) : error;
    }
    chats.push([agentId, { messages: [...messages.values()], ofConversations }]);
  }
  return chats;
}

function isOther(known: OldMessage | undefined, { content, sender }: OldMessage): boolean {
  return known !== undefined && (known.content !== content || known.sender !== sender);
}

async function store(tx: Tx, membership: MembershipKey, { messages, ofConversations }: OldChat) {
  const { agentId } = membership;
  await lockChatTarget(tx, membership, { writes: true });
  const fresh = await freshOf(tx.db, membership, messages);
  for (let start = 0; start < fresh.length; start += BATCH_ROWS)
    await insertImported(tx.db, membership, fresh.slice(start, start + BATCH_ROWS));
  if (fresh.length > 0) await markReadByAll(tx.db, membership);
  return { agentId, imported: fresh.length, known: messages.length - fresh.length, ofConversations };
}

/** Those that the chat does not hold yet. @throws AppError chat_not_empty */
async function freshOf(
  db: Queryable,
  { projectId, agentId }: MembershipKey,
  messages: readonly OldMessage[],
): Promise<ImportedMessage[]> {
  const threadId = chatThreadId(projectId, agentId);
  const named = messages.map((message) => ({ message, made: idInThread(threadId, message) }));
  const ids = named.flatMap(({ message, made }) => [message.id, made]);
  const stored = await threadsOf(db, ids);
  const isHere = (id: string) => stored.get(id) === threadId;
  const fresh = named.filter(({ message, made }) => !isHere(message.id) && !isHere(made));
  if (fresh.length === 0) return [];
  if (await holdsOther(db, threadId, ids))
    throw new AppError(
      'chat_not_empty',
      'Something was said in this chat already. Older messages can only be taken into a chat before that.',
      { details: { agentId } },
    );
  const people = await peopleOf(
    db,
    fresh.flatMap(({ message: { humanId } }) => humanId ?? []),
  );
  // The files may name ids that are made here for others.
  const allMade = new Set(named.map(({ made }) => made));
  const isFree = (id: string) => isMessageId(id) && !stored.has(id) && !allMade.has(id);
  return fresh.map(({ message, made }) => {
    const { sender, content, visible, createdAt } = message;
    const humanId = sender === 'user' && people.has(message.humanId ?? '') ? message.humanId : null;
    const line = {
      id: isFree(message.id) ? message.id : made,
      sender,
      senderId: sender === 'agent' ? agentId : sender,
      humanId,
      content,
      visible,
    };
    return { ...line, createdAt: createdAt.toISOString(), bytes: transcriptLineBytes(line) };
  });
}

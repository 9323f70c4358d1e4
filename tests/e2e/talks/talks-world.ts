import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Message, messagePageSchema, messageSchema } from '@aizuchi/shared/contract/chat';
import {
  type Conversation,
  conversationPageSchema,
  conversationSchema,
} from '@aizuchi/shared/contract/conversation';
import { type Question, questionPageSchema } from '@aizuchi/shared/contract/question';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { openDatabase } from '@aizuchi/shared/platform/db/database';
import { checkInvariants } from '@aizuchi/shared/testing/invariants';
import { z } from 'zod';
import { type RunningProduct, startProduct } from '../../../scripts/commands/product.ts';
import { databaseUrlOf, readServices } from '../start/product-process.ts';
import { ApiCaller } from '../web/support/api-caller.ts';

const lineSchema = z.object({
  id: z.string(),
  senderId: z.string(),
  receiverId: z.string().optional(),
  content: z.string(),
  conversationId: z.string().optional(),
  visible: z.boolean(),
});
export type TranscriptLine = z.infer<typeof lineSchema>;

const purposesSchema = z.object({
  pendingPurposes: z.array(
    z.object({ agentId: z.string(), conversationId: z.string().optional(), outcome: z.string().optional() }),
  ),
});

/** An agent as a program that speaks MCP: it signed in by passkey and calls the tools itself. */
export class ScriptedAgent {
  readonly id: string;
  readonly tools: ToolClient;

  constructor(id: string, tools: ToolClient) {
    this.id = id;
    this.tools = tools;
  }

  /** Its next action, held until there is one. */
  next(holdSeconds = 25) {
    return this.tools.call(
      'get_next_action',
      { hold_seconds: holdSeconds },
      { timeoutMs: (holdSeconds + 10) * 1_000 },
    );
  }

  /** Reads the unread messages of one source, as texts. */
  async read(): Promise<string[]> {
    const { pending_messages: messages } = await this.tools.call('get_pending_messages', {});
    return messages.map(({ content }) => content);
  }

  async say(content: string): Promise<void> {
    await this.tools.call('respond_chat', { content });
  }
}

/** The whole product as processes, a person, and what the person sees of conversations. */
export class TalksWorld {
  readonly #product: RunningProduct;
  readonly owner: ApiCaller;

  private constructor(product: RunningProduct, owner: ApiCaller) {
    this.#product = product;
    this.owner = owner;
  }

  static async start(): Promise<TalksWorld> {
    const product = await startProduct({ MEMORY_GROWTH: 'off' });
    const { AIZUCHI_WEB_URL: url = '', AIZUCHI_OWNER_PASSKEY: passkey = '' } = product.environment;
    return new TalksWorld(product, await ApiCaller.signIn(url, 'owner', passkey));
  }

  stop(): Promise<boolean> {
    return this.#product.stop();
  }

  folderOf(projectId: string): string {
    return join(this.#product.environment.AIZUCHI_WORKSPACE_ROOTS ?? '', projectId);
  }

  async makeProject(projectId: string, agents: Readonly<Record<string, string>>): Promise<void> {
    const workingDirectory = this.folderOf(projectId);
    await this.#do('POST', '/projects', {
      id: projectId,
      name: 'UC016 AI Conversation Test',
      workingDirectory,
    });
    for (const [id, name] of Object.entries(agents)) {
      await this.#do('POST', '/agents', { id, name, type: 'ai' });
      await this.addMember(projectId, id);
    }
  }

  addMember(projectId: string, agentId: string): Promise<unknown> {
    return this.#do('PUT', `/projects/${projectId}/agents/${agentId}`);
  }

  /** Signs in as this agent; an existing session of it is ended. */
  async signIn(projectId: string, agentId: string): Promise<ScriptedAgent> {
    const { passkey } = await this.owner.call(
      z.object({ passkey: z.string() }),
      'POST',
      `/agents/${agentId}/passkey`,
      {},
    );
    const url = this.#product.environment.AIZUCHI_MCP_URL ?? '';
    const client = (token: string) => new ToolClient({ url, token, name: 'scripted-agent', version: '1' });
    const door = client('');
    const signedIn = await door.call('authenticate', {
      agent_id: agentId,
      passkey,
      project_id: projectId,
      purpose: 'chat',
      replace: true,
    });
    await door.close();
    return new ScriptedAgent(agentId, client(z.string().parse(signedIn.session_token)));
  }

  async write(projectId: string, agentId: string, content: string): Promise<void> {
    const chat = `/projects/${projectId}/agents/${agentId}/chat`;
    await this.#do('POST', `${chat}/start`, { viewerId: 'talks-test' });
    await this.owner.call(messageSchema, 'POST', `${chat}/messages`, { content });
  }

  /** The messages of the chat with the person. */
  async chatMessages(projectId: string, agentId: string): Promise<Message[]> {
    const path = `/projects/${projectId}/agents/${agentId}/chat/messages?limit=200`;
    return (await this.owner.call(messagePageSchema, 'GET', path)).messages;
  }

  async chat(projectId: string, agentId: string): Promise<string[]> {
    return (await this.chatMessages(projectId, agentId)).map(({ content }) => content);
  }

  async openQuestions(projectId: string): Promise<Question[]> {
    const path = `/projects/${projectId}/questions?status=pending`;
    return (await this.owner.call(questionPageSchema, 'GET', path)).questions;
  }

  answer(toolUseId: string, answers: Record<string, string>): Promise<unknown> {
    return this.#do('POST', `/questions/${toolUseId}/answer`, { answers });
  }

  async conversations(projectId: string): Promise<Conversation[]> {
    const page = await this.owner.call(
      conversationPageSchema,
      'GET',
      `/projects/${projectId}/conversations?limit=200`,
    );
    return page.conversations;
  }

  conversation(id: string): Promise<Conversation> {
    return this.owner.call(conversationSchema, 'GET', `/conversations/${id}`);
  }

  async messagesOf(conversationId: string) {
    const { messages } = await this.owner.call(
      messagePageSchema,
      'GET',
      `/conversations/${conversationId}/messages?limit=200`,
    );
    return messages;
  }

  async purposes(projectId: string) {
    const path = `/projects/${projectId}/pending-purposes?includeRecent=300`;
    return (await this.owner.call(purposesSchema, 'GET', path)).pendingPurposes;
  }

  async liveSessions(projectId: string, agentId: string): Promise<number> {
    const schema = z.object({ agentSessions: z.record(z.string(), z.object({ chat: z.number() })) });
    const { agentSessions } = await this.owner.call(schema, 'GET', `/projects/${projectId}/agent-sessions`);
    return agentSessions[agentId]?.chat ?? 0;
  }

  endChat(projectId: string, agentId: string): Promise<unknown> {
    return this.#do('POST', `/projects/${projectId}/agents/${agentId}/chat/end`, { force: true });
  }

  set(settings: Record<string, number | null>): Promise<unknown> {
    return this.#do('PUT', '/settings', settings);
  }

  /** The lines of an agent's chat.jsonl that belong to a conversation. */
  async transcript(projectId: string, agentId: string, conversationId: string): Promise<TranscriptLine[]> {
    const file = join(this.folderOf(projectId), '.ai-pm', 'agents', agentId, 'chat.jsonl');
    // Whole lines: one may be being written.
    const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
    return lines
      .map((line) => lineSchema.parse(JSON.parse(line)))
      .filter((line) => line.conversationId === conversationId);
  }

  /** The process of a service as it runs now. */
  async pidOf(service: string): Promise<number> {
    const running = await readServices(this.#product.environment.AIZUCHI_HOME ?? '');
    return z.number().parse(running.find(({ name }) => name === service)?.pid);
  }

  /** The numbered invariants of the domain, by query. */
  async brokenInvariants() {
    const home = this.#product.environment.AIZUCHI_HOME ?? '';
    const database = openDatabase({ url: await databaseUrlOf(home), maxConnections: 1 });
    try {
      return await checkInvariants(database);
    } finally {
      await database.close();
    }
  }

  #do(method: string, path: string, body?: object): Promise<unknown> {
    return this.owner.call(z.unknown(), method, path, body);
  }
}

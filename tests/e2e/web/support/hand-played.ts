import type { HostProgram } from '@aizuchi/shared/contract/programs';
import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import type { ChatWorld } from './chat-world.ts';
import type { Web } from './web.ts';

export const COORDINATOR_TOKEN = 'token-of-the-coordinator-that-a-test-plays';

type Membership = Pick<ChatWorld, 'agentId' | 'project'>;

const BEAT_EVERY_MS = 2_000;

/** A Coordinator that uses the real protocol. It starts nothing, and reports what a test wants. */
export class PlayedCoordinator {
  readonly #client: ToolClient;
  readonly #self;
  readonly #running = new Set<string>();
  #capacity = 0;
  #pulling: Readonly<Record<string, number>> = {};
  #beating: Promise<unknown> = Promise.resolve();
  #beats: NodeJS.Timeout | undefined;

  constructor(web: Web, name = 'played') {
    this.#self = { coordinator_id: name, host: name, boot_id: 'boot', labels: [], roots: [] };
    this.#client = clientOf(web, COORDINATOR_TOKEN);
  }

  /** `pulling`: how far the images are that its runs wait for, by the run. */
  async beat(capacity: number, pulling: Readonly<Record<string, number>> = {}): Promise<void> {
    this.#capacity = capacity;
    this.#pulling = pulling;
    await this.#beatAgain();
  }

  /** One after the other: an older one that arrives later would be believed. */
  #beatAgain(): Promise<unknown> {
    const send = () =>
      this.#client.call('wait_for_agent_actions', {
        ...this.#self,
        capacity: this.#capacity,
        running: [...this.#running],
        pulling: Object.entries(this.#pulling).map(([run_id, percent]) => ({ run_id, percent })),
        hold_seconds: 0,
      });
    this.#beating = this.#beating.then(send, send);
    return this.#beating;
  }

  /** Waits until a person wants to know which programs this host has. */
  async untilAskedToLook(): Promise<void> {
    for (;;) {
      const beat = { ...this.#self, capacity: 0, running: [...this.#running], hold_seconds: 1 };
      if ((await this.#client.call('wait_for_agent_actions', beat)).look_for_programs) return;
    }
  }

  async reportPrograms(programs: HostProgram[]): Promise<void> {
    const { coordinator_id } = this.#self;
    await this.#client.call('report_programs', { coordinator_id, programs });
  }

  async ask({ agentId, project }: Membership) {
    const action = await this.#client.call('get_agent_action', {
      agent_id: agentId,
      project_id: project.id,
      coordinator_id: this.#self.coordinator_id,
    });
    if (action.run_id !== undefined) this.#running.add(action.run_id);
    return action;
  }

  async crashed(runId: string): Promise<void> {
    this.#running.delete(runId);
    await this.#client.call('report_process_exit', { run_id: runId, exit_code: 1 });
  }

  /** Beats until it is closed, for a test that takes longer than a silent Coordinator counts as alive. */
  stayAlive(): void {
    this.#beats = setInterval(() => void this.#beatAgain().catch(() => undefined), BEAT_EVERY_MS);
  }

  close(): Promise<void> {
    clearInterval(this.#beats);
    return this.#client.close();
  }
}

/** The turn of a played agent. */
const TURN = 'msg_playedturnplayedturn';

/** An agent that signed in with its passkey, or with the ticket of a run. The test makes each of its calls. */
export class PlayedAgent {
  readonly #client: ToolClient;
  readonly #token: string;

  private constructor(client: ToolClient, token: string) {
    this.#client = client;
    this.#token = token;
  }

  static async signIn(web: Web, { agentId, project }: Membership, passkey: string): Promise<PlayedAgent> {
    const client = clientOf(web, '');
    const { session_token } = await client.call('authenticate', {
      agent_id: agentId,
      passkey,
      project_id: project.id,
    });
    if (session_token === undefined) throw new Error(`${agentId} was not let in.`);
    return new PlayedAgent(client, session_token);
  }

  next() {
    return this.#client.call('get_next_action', { session_token: this.#token, hold_seconds: 5 });
  }

  /** Until messages are to be fetched, however long that takes. */
  async untilMessages(): Promise<void> {
    while ((await this.next()).action !== 'get_pending_messages') {
      // Each call is held for some seconds.
    }
  }

  async fetch(): Promise<void> {
    await this.#client.call('get_pending_messages', { session_token: this.#token });
  }

  async answer(content: string): Promise<void> {
    await this.fetch();
    await this.#client.call('respond_chat', { session_token: this.#token, content });
  }

  /** Comments on a task, without moving it. */
  async comment(taskId: string, comment: string): Promise<void> {
    await this.#client.call('update_task_status', {
      session_token: this.#token,
      task_id: taskId,
      status: 'in_progress',
      comment,
    });
  }

  /** Says what its model has cost so far, without an answer. */
  async spend(inputTokens: number, outputTokens: number): Promise<void> {
    await this.#client.call('respond_chat', {
      session_token: this.#token,
      done: false,
      target_agent_id: 'user',
      usage: { input_tokens: inputTokens, output_tokens: outputTokens, duration_ms: 100 },
    });
  }

  /** Asks people one question with two answers, and does not wait. */
  async ask(question: string): Promise<void> {
    await this.#client.call('ask_user_question', {
      session_token: this.#token,
      hold_seconds: 0,
      questions: [
        {
          header: 'Choice',
          question,
          options: [
            { label: 'Yes', description: 'Do it' },
            { label: 'No', description: 'Leave it' },
          ],
          multiSelect: false,
        },
      ],
    });
  }

  /** Shows a step of its work, and what it writes. */
  async show(step: { id: string; title: string; status: 'running' | 'done' }, text: string): Promise<void> {
    const named = { session_token: this.#token, message_id: TURN };
    await this.#client.call('report_step', { ...named, step: { kind: 'command', ...step } });
    await this.#client.call('report_delta', { ...named, text, offset: 0 });
  }

  /** Reports the end of its work on its task. */
  async report(result: 'done' | 'blocked', summary: string): Promise<void> {
    await this.#client.call('report_completed', { session_token: this.#token, result, summary });
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

function clientOf(web: Web, token: string): ToolClient {
  const url = web.product.environment.AIZUCHI_MCP_URL ?? '';
  return new ToolClient({ url, token, name: 'played', version: '1' });
}

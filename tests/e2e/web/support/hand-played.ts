import { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import type { ChatWorld } from './chat-world.ts';
import type { Web } from './web.ts';

export const COORDINATOR_TOKEN = 'token-of-the-coordinator-that-a-test-plays';

/** A Coordinator that uses the real protocol. It starts nothing, and reports what a test wants. */
export class PlayedCoordinator {
  readonly #client: ToolClient;
  readonly #self = { coordinator_id: 'played', host: 'played', boot_id: 'boot', labels: [], roots: [] };

  constructor(web: Web) {
    this.#client = clientOf(web, COORDINATOR_TOKEN);
  }

  async beat(capacity: number): Promise<void> {
    await this.#client.call('wait_for_agent_actions', {
      ...this.#self,
      capacity,
      running: [],
      hold_seconds: 0,
    });
  }

  ask({ agentId, project }: ChatWorld) {
    return this.#client.call('get_agent_action', {
      agent_id: agentId,
      project_id: project.id,
      coordinator_id: this.#self.coordinator_id,
    });
  }

  async crashed(runId: string): Promise<void> {
    await this.#client.call('report_process_exit', { run_id: runId, exit_code: 1 });
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** An agent that signed in with its passkey. The test makes each of its calls. */
export class PlayedAgent {
  readonly #client: ToolClient;
  readonly #token: string;

  private constructor(client: ToolClient, token: string) {
    this.#client = client;
    this.#token = token;
  }

  static async signIn(web: Web, { agentId, project }: ChatWorld, passkey: string): Promise<PlayedAgent> {
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

  async answer(content: string): Promise<void> {
    await this.#client.call('get_pending_messages', { session_token: this.#token });
    await this.#client.call('respond_chat', { session_token: this.#token, content });
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

function clientOf(web: Web, token: string): ToolClient {
  const url = web.product.environment.AIZUCHI_MCP_URL ?? '';
  return new ToolClient({ url, token, name: 'played', version: '1' });
}

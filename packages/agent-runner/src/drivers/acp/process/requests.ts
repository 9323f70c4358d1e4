import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
} from '@agentclientprotocol/sdk';

/** What an agent sends in the middle of a turn. `signal`: the agent does not wait any more. */
export interface TurnRequests {
  update(update: SessionNotification['update']): void;
  permission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
  elicitation(request: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse>;
}

/**
 * Passes what the agent sends to the turn that runs. Without one nobody waits for an answer: what is replayed of a
 * loaded session, and what comes late of an earlier turn, is not shown, and nothing is permitted.
 */
export class Requests {
  #turn: TurnRequests | undefined;
  #sessionId: string | undefined;
  #updatedAt = performance.now();
  #hasReplayed = false;

  /** What is for other sessions, such as those of subagents, is not passed on. */
  set sessionId(id: string) {
    this.#sessionId = id;
  }

  /** When the last update came, of whatever it was; by the clock of `performance`. */
  get updatedAt(): number {
    return this.#updatedAt;
  }

  /** A message of a person was repeated: the replay of the loaded session has begun. */
  get hasReplayed(): boolean {
    return this.#hasReplayed;
  }

  begin(turn: TurnRequests): void {
    this.#turn = turn;
  }

  end(turn: TurnRequests): void {
    if (this.#turn === turn) this.#turn = undefined;
  }

  update({ sessionId, update }: SessionNotification): void {
    this.#updatedAt = performance.now();
    // Of the agent it may be a notice of the mode that was set.
    if (!this.#turn && update.sessionUpdate === 'user_message_chunk') this.#hasReplayed = true;
    if (sessionId === this.#sessionId) this.#turn?.update(update);
  }

  async permission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    return (await this.#turn?.permission(request, signal)) ?? { outcome: { outcome: 'cancelled' } };
  }

  async elicitation(
    request: CreateElicitationRequest,
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse> {
    return (await this.#turn?.elicitation(request, signal)) ?? { action: 'cancel' };
  }
}

import type { Message } from '@aizuchi/shared/contract/chat';
import { receiptOf } from '@aizuchi/shared/core/chat/delivery/receipts';
import type { NextAction } from '@aizuchi/shared/core/sessions/rules/next-action';
import type { ControlOffer } from '@aizuchi/shared/core/sessions/rules/turn-control';
import { AppError } from '@aizuchi/shared/platform/errors';
import type { AgentCaller, CoordinatorWork, QuestionOutcome, Services } from '../ports.ts';

/**
 * The services behind the transport, controlled by the test: it sets what a session is given next, and calls
 * are recorded.
 */
export class FakeServices implements Services {
  readonly actions = new Map<string, NextAction>();
  readonly controls = new Map<string, ControlOffer>();
  readonly ended = new Set<string>();
  readonly offered: string[] = [];
  /** What was written to a live connection, by its receipt. */
  readonly written: string[] = [];
  readonly received: string[] = [];
  readonly offeredAgain: string[] = [];
  readonly beats: string[] = [];
  /** A person wants to know which programs the hosts have. */
  isLookWanted = false;
  /** The pieces of partial answers that were shown. */
  readonly grown: number[] = [];
  /** The steps that were stored. */
  readonly reported: string[] = [];
  /** The results that held questions get when they check. */
  questionOutcome: QuestionOutcome | undefined;
  pending: Message[] = [];
  workFor: CoordinatorWork = { pairs: [], stop: [], changes: [] };
  reads = 0;
  polls = 0;
  /** When it is set, every read of the next action fails with it. */
  failure: Error | undefined;

  readonly programs: Services['programs'] = { report: async () => undefined };

  readonly vision: Services['vision'] = {
    ask: async () => ({ requestId: null, status: 'no_model' }),
    outcomes: async () => new Map(),
  };

  readonly agentAttachments: Services['agentAttachments'] = {
    get: async () => {
      throw new AppError('attachment_not_found', 'There is no such file.');
    },
  };

  readonly models: Services['models'] = { report: async () => undefined };

  readonly sessions: Services['sessions'] = {
    authenticate: async ({ bearer, passkey }) =>
      bearer?.startsWith('ticket-') || passkey === 'right'
        ? {
            success: true,
            sessionId: 'ses_1',
            sessionToken: 'ses_1',
            purpose: 'chat',
            agentName: 'Aiko',
            permissionPolicy: 'ask',
            contextSince: '2026-01-01T00:00:00.000Z',
          }
        : { success: false, error: 'Sign-in refused.' },
    resolve: async (bearer) => this.#callerOf(bearer),
    logout: async () => ({ success: true }),
    isPerWork: async () => false,
    nextActions: async (ids) => {
      this.reads += 1;
      if (this.failure) throw this.failure;
      return new Map(ids.map((id) => [id, this.actions.get(id) ?? { kind: 'wait' }]));
    },
    withNews: async (ids) => {
      this.polls += 1;
      if (this.failure) throw this.failure;
      return ids.filter((id) => this.actions.has(id));
    },
    offerEnd: async (id) => {
      this.offered.push(id);
      return { repeat: this.offered.indexOf(id) < this.offered.length - 1 && !this.written.includes('exit') };
    },
    touch: async () => undefined,
    beat: async (caller) => void this.beats.push(caller.sessionId),
    controls: async (ids) => new Map(ids.map((id) => [id, this.controls.get(id) ?? null])),
    offerControl: async (id, control) => void this.controls.set(id, { control, repeat: true }),
  };

  readonly deliveries: Services['deliveries'] = {
    take: async () => ({
      batchId: this.pending.length > 0 ? 'bat_1' : null,
      source: this.pending.length > 0 ? { kind: 'chat' } : null,
      contextMessages: [],
      pendingMessages: this.pending,
      totalHistoryCount: this.pending.length,
      contextTruncated: false,
      waitsFor: null,
    }),
    noteRetrieval: async () => undefined,
    offeredAgain: async (sessionId) => void this.offeredAgain.push(sessionId),
    respond: async () => ({ message: null, answered: this.pending.length }),
    send: async () => {
      throw new Error('secret of the server');
    },
    reportDelta: async (_caller, { text }) => void this.grown.push(text.length),
  };

  readonly steps: Services['steps'] = {
    report: async (_caller, { step }) => {
      this.reported.push(step.id);
      return { control: null };
    },
  };

  purpose: 'chat' | 'task' = 'chat';
  readonly questions: Services['questions'] = {
    ask: async (_caller, { toolUseId = 'toolu_1' }) => ({ toolUseId, status: 'pending' }),
    mayAsk: async (bearer) => (/^ses_\d+$/.test(bearer) ? true : null),
    standing: async (bearer) => (/^ses_\d+$/.test(bearer) ? { mayAsk: true, purpose: this.purpose } : null),
    outcomes: async (ids) =>
      new Map(ids.map((toolUseId) => [toolUseId, this.questionOutcome ?? { toolUseId, status: 'pending' }])),
    offer: async (_sessionId, toolUseId) => ({
      toolUseId,
      status: 'answered',
      answers: { 'Go on?': 'Yes' },
      repeat: false,
    }),
  };

  readonly approvals: Services['approvals'] = {
    request: async (_caller, { toolUseId = 'toolu_1' }) => ({ toolUseId, status: 'pending' }),
    outcomes: async (ids) => new Map(ids.map((toolUseId) => [toolUseId, { toolUseId, status: 'pending' }])),
    offer: async (_sessionId, toolUseId) => ({ toolUseId, status: 'allowed_once', repeat: false }),
  };

  readonly conversations: Services['conversations'] = {
    start: async () => {
      throw new AppError('conversation_already_active', 'You two talk already.');
    },
    end: async () => {
      throw new AppError('no_active_conversation', 'There is none.');
    },
    messages: async () => {
      throw new AppError('no_active_conversation', 'There is none.');
    },
    offer: async () => null,
  };

  readonly receipts: Services['receipts'] = {
    received: async (_caller, receipts) => void this.received.push(...receipts),
    written: async (caller, subject) => {
      this.written.push(receiptOf(subject));
      if (subject.kind === 'control') this.controls.delete(caller.sessionId);
    },
  };

  readonly coordination: Services['coordination'] = {
    beat: async ({ coordinatorId }) => {
      this.beats.push(coordinatorId);
      return { isAtRest: true };
    },
    seen: async ({ coordinatorId }) => {
      this.beats.push(coordinatorId);
      return {
        lookForPrograms: this.isLookWanted,
        hasWork: this.workFor.pairs.length > 0,
        at: undefined,
      };
    },
    work: async () => this.workFor,
    getAgentAction: async () => ({ action: 'hold', reason: 'no_pending_work' }),
    listActiveProjectsWithAgents: async () => [],
    reportChanges: async () => undefined,
    reportProcessStarted: async () => {
      throw new AppError('run_lost', 'This run is over.');
    },
    reportProcessExit: async () => undefined,
    reportAgentError: async () => undefined,
  };

  readonly directory: Services['directory'] = {
    profile: async () => {
      throw new AppError('agent_not_found', 'gone');
    },
    projectAgents: async () => [],
  };

  readonly tasks: Services['tasks'] = {
    listForAgent: async () => ({
      tasks: [],
      counts: { backlog: 0, todo: 0, in_progress: 0, blocked: 0, done: 0, cancelled: 0 },
      nextCursor: null,
    }),
  };

  readonly agentMemory: Services['agentMemory'] = {
    recall: async () => ({ runId: 'ret_1', degraded: [], items: [] }),
    remember: async () => ({ eventId: 'evt_1', stateId: 'sta_1' }),
    waiting: async () => undefined,
    packFor: async () => undefined,
    stillThere: async (_, pack) => pack,
  };

  readonly agentTasks: Services['agentTasks'] = {
    get: async () => {
      throw new AppError('task_not_found', 'There is none.');
    },
    create: async () => {
      throw new AppError('task_not_found', 'There is none.');
    },
    move: async () => {
      throw new AppError('task_not_found', 'There is none.');
    },
  };

  readonly agentProposals: Services['agentProposals'] = {
    propose: async () => {
      throw new AppError('task_not_found', 'There is none.');
    },
  };

  readonly agentWork: Services['agentWork'] = {
    offer: async () => ({ repeat: false }),
    get: async () => {
      throw new AppError('not_a_task_session', 'This is a chat.');
    },
    saveContext: async () => {
      throw new AppError('not_a_task_session', 'This is a chat.');
    },
    report: async () => {
      throw new AppError('not_a_task_session', 'This is a chat.');
    },
  };

  checkDatabase = async () => undefined;

  /** `ses_n` is the token of session ses_n of agent agt_n. */
  #callerOf(bearer: string): AgentCaller {
    if (!/^ses_\d+$/.test(bearer)) throw new AppError('unauthenticated', 'No session has this token.');
    const agentId = bearer.replace('ses', 'agt');
    return {
      sessionId: bearer,
      agentId,
      projectId: 'prj_1',
      purpose: 'chat',
      taskId: '',
      live: !this.ended.has(bearer),
      sharesFolder: false,
      usesMemory: true,
    };
  }
}

export function message(id: string): Message {
  return {
    id,
    projectId: 'prj_1',
    senderId: 'user',
    senderName: 'Owner',
    sender: 'user',
    content: 'hello',
    createdAt: '2026-01-01T00:00:00.000Z',
    visible: true,
    state: 'delivered',
    seq: 1,
  };
}

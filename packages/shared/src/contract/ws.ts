import { z } from 'zod';
import type { Approval } from './approval.ts';
import type { AgentSessionView, Message } from './chat.ts';
import { viewerIdSchema } from './chat.ts';
import type { Conversation } from './conversation.ts';
import type { ErrorCode } from './error-codes.ts';
import { idParamSchema } from './ids.ts';
import { type Answers, type QuestionItem, questionAnswerFrameShape } from './question.ts';
import type { Step } from './step.ts';
import type { Task } from './task.ts';

/** Contract §4: the frames of `/api/ws` for the page and other programs. */
export const WS_PATH = '/api/ws';

export const WS_CLOSE = {
  /** Close code: not signed in, signed in too late, or no longer signed in. */
  unauthenticated: 4401,
  /** Close code: the client breaks the protocol. */
  forbidden: 4403,
  tooSlow: 4408,
  stopping: 4410,
} as const;

/** A cookie alone is not sufficient: the first frame carries a value that only the page knows. */
export const WS_AUTH_SECONDS = 5;

export const clientFrameSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auth'), csrf: z.string().min(1).max(1_000) }),
  z.strictObject({
    type: z.literal('subscribe'),
    projectId: idParamSchema,
    /** A cursor of an earlier frame: everything after it is sent again. */
    cursor: z.string().max(200).optional(),
    /** While the socket is open the lease of this viewer is renewed. */
    viewerId: viewerIdSchema.optional(),
  }),
  z.strictObject({ type: z.literal('unsubscribe'), projectId: idParamSchema }),
  /**
   * From now on the socket is sent `inbox_changed`, `projects_changed`, and the questions and approvals of
   * projects that it does not follow.
   */
  z.strictObject({ type: z.literal('subscribe_inbox') }),
  z.strictObject({ type: z.literal('question_answer'), ...questionAnswerFrameShape }),
  z.strictObject({ type: z.literal('ping') }),
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;

/** A card that waits for an answer, in the field names of seed 003; times in epoch seconds. */
export interface UserQuestionFrame {
  readonly type: 'user_question';
  readonly tool_use_id: string;
  readonly agent_id: string;
  readonly questions: readonly QuestionItem[];
  readonly timestamp: number;
  readonly expires_at?: number;
}

/** The card waits no more; `answers` by index, as a person gave them. */
export interface QuestionResolvedFrame {
  readonly type: 'question_resolved';
  readonly tool_use_id: string;
  readonly agent_id: string;
  readonly status: 'answered' | 'timeout' | 'cancelled';
  readonly answers?: Answers;
  readonly answered_by?: string;
  readonly answered_by_name?: string;
}

/**
 * The answer that was growing under this id becomes no message, and its steps are void: its session has ended, or the
 * agent began anew. In the log, and so with a cursor, when steps of it were reported.
 */
interface MessageDiscarded {
  readonly type: 'message_discarded';
  readonly agentId: string;
  readonly messageId: string;
}

/**
 * An agent asks to be allowed something; times in epoch seconds. The approval has one id, which is `id` for
 * people (REST decides by it) and `tool_use_id` for agents.
 */
export interface ApprovalRequestFrame {
  readonly type: 'approval_request';
  readonly id: string;
  readonly tool_use_id: string;
  readonly agent_id: string;
  readonly tool: string;
  readonly kind: Approval['kind'];
  readonly summary: string;
  /** Absent: it is too large for a frame, read it by REST. */
  readonly input?: unknown;
  readonly timestamp: number;
  readonly expires_at?: number;
}

/** Nobody is asked any more. Not sent for what the policy of the project decided at once. */
export interface ApprovalResolvedFrame {
  readonly type: 'approval_resolved';
  readonly id: string;
  readonly tool_use_id: string;
  readonly agent_id: string;
  readonly status: Exclude<Approval['status'], 'pending'>;
  readonly note?: string;
  readonly decided_by?: string;
  readonly decided_by_name?: string;
}

/** What a person is asked, and what became of it. */
export type CardFrame =
  | UserQuestionFrame
  | QuestionResolvedFrame
  | ApprovalRequestFrame
  | ApprovalResolvedFrame;

/** Frames that follow the log of one project; sent with the project's id and an increasing cursor. */
export type ProjectFrameBody =
  /** `agentId`: the agent in whose chat it is; absent for a message between agents. */
  | { readonly type: 'message'; readonly message: Message; readonly agentId?: string }
  /**
   * A step of an answer, in its current state: also of one that is stored meanwhile. `conversationId`: the answer
   * is for another agent, and not shown in the chat.
   */
  | {
      readonly type: 'message_step';
      readonly messageId: string;
      readonly agentId: string;
      readonly conversationId?: string;
      readonly step: Step;
    }
  /**
   * A step of a turn at a task, in its current state. `attempt`: its number, from 1; `messageId` names the turn, and is the
   * id of no message.
   */
  | {
      readonly type: 'task_step';
      readonly taskId: string;
      readonly attempt: number;
      readonly agentId: string;
      readonly messageId: string;
      readonly step: Step;
    }
  | MessageDiscarded
  | ({ readonly type: 'session_changed'; readonly agentId: string } & AgentSessionView)
  | { readonly type: 'task_changed'; readonly task: Task }
  | { readonly type: 'task_changed'; readonly taskId: string; readonly deleted: true }
  | { readonly type: 'run_changed'; readonly runId: string; readonly agentId: string }
  | { readonly type: 'conversation_changed'; readonly conversation: Conversation }
  | CardFrame
  | { readonly type: 'unread_changed' }
  | { readonly type: 'coordinators_changed' };

export type ProjectFrame = ProjectFrameBody & { readonly projectId: string; readonly cursor: string };

export type ServerFrame =
  | ProjectFrame
  /** Sent after `subscribe_inbox` and later whenever the inbox may have changed: read it again by REST. */
  | { readonly type: 'inbox_changed' }
  /** The list of projects that the person sees, or the members of one, may have changed: read them again by REST. */
  | { readonly type: 'projects_changed' }
  /** A question or approval of a project that this socket does not follow, hence without a cursor. */
  | (CardFrame & { readonly projectId: string })
  /** A piece of a partial answer: not logged, may be missed; the `message` frame brings the whole answer. */
  | {
      readonly type: 'message_delta';
      readonly projectId: string;
      readonly agentId: string;
      readonly messageId: string;
      readonly text: string;
      readonly offset: number;
    }
  /** The same of what an agent writes in a turn at a task: it is in the log of the run, and becomes no message. */
  | {
      readonly type: 'task_delta';
      readonly projectId: string;
      readonly agentId: string;
      readonly taskId: string;
      readonly messageId: string;
      readonly text: string;
      readonly offset: number;
    }
  | (MessageDiscarded & { readonly projectId: string })
  /** Sent after the replay. `reset`: the cursor was too old or unknown, reload by REST. */
  | {
      readonly type: 'subscribed';
      readonly projectId: string;
      readonly cursor: string;
      readonly reset: boolean;
    }
  | {
      readonly type: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      readonly projectId?: string;
      /** The answer that was refused. */
      readonly tool_use_id?: string;
    }
  | { readonly type: 'pong' };

import { z } from 'zod';
import type { AgentSessionView, Message } from './chat.ts';
import { viewerIdSchema } from './chat.ts';
import type { Conversation } from './conversation.ts';
import type { ErrorCode } from './error-codes.ts';
import { idParamSchema } from './ids.ts';
import { type Answers, type QuestionItem, questionAnswerFrameShape } from './question.ts';
import type { Task } from './task.ts';

/** Contract §4: what the page and other programs hear over `/api/ws`. */
export const WS_PATH = '/api/ws';

export const WS_CLOSE = {
  /** Not signed in, not in time, or not any more. */
  unauthenticated: 4401,
  /** It does what a page of ours never does. */
  forbidden: 4403,
  tooSlow: 4408,
  stopping: 4410,
} as const;

/** A cookie alone opens nothing: the first frame brings what only the page knows. */
export const WS_AUTH_SECONDS = 5;

export const clientFrameSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auth'), csrf: z.string().min(1).max(1_000) }),
  z.strictObject({
    type: z.literal('subscribe'),
    projectId: idParamSchema,
    /** From an earlier frame: what came after it is sent again. */
    cursor: z.string().max(200).optional(),
    /** While the socket is open this viewer's lease is renewed. */
    viewerId: viewerIdSchema.optional(),
  }),
  z.strictObject({ type: z.literal('unsubscribe'), projectId: idParamSchema }),
  /** From now on `inbox_changed`, and the questions of projects that this socket does not follow. */
  z.strictObject({ type: z.literal('subscribe_inbox') }),
  z.strictObject({ type: z.literal('question_answer'), ...questionAnswerFrameShape }),
  z.strictObject({ type: z.literal('ping') }),
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;

/** A card that waits for an answer, in the words of seed 003; times in epoch seconds. */
export interface UserQuestionFrame {
  readonly type: 'user_question';
  readonly tool_use_id: string;
  readonly agent_id: string;
  readonly questions: readonly QuestionItem[];
  readonly timestamp: number;
  readonly expires_at?: number;
}

/** It waits no more; `answers` by index, as a person gave them. */
export interface QuestionResolvedFrame {
  readonly type: 'question_resolved';
  readonly tool_use_id: string;
  readonly agent_id: string;
  readonly status: 'answered' | 'timeout' | 'cancelled';
  readonly answers?: Answers;
  readonly answered_by?: string;
  readonly answered_by_name?: string;
}

/** What follows the log of one project; sent with the project's id and a cursor that rises. */
export type ProjectFrameBody =
  /** `agentId`: whose chat it stands in; not there for a message between agents. */
  | { readonly type: 'message'; readonly message: Message; readonly agentId?: string }
  | ({ readonly type: 'session_changed'; readonly agentId: string } & AgentSessionView)
  | { readonly type: 'task_changed'; readonly task: Task }
  | { readonly type: 'task_changed'; readonly taskId: string; readonly deleted: true }
  | { readonly type: 'run_changed'; readonly runId: string; readonly agentId: string }
  | { readonly type: 'conversation_changed'; readonly conversation: Conversation }
  | UserQuestionFrame
  | QuestionResolvedFrame
  | { readonly type: 'unread_changed' }
  | { readonly type: 'coordinators_changed' };

export type ProjectFrame = ProjectFrameBody & { readonly projectId: string; readonly cursor: string };

export type ServerFrame =
  | ProjectFrame
  /** To `subscribe_inbox`, at once and then whenever it may have changed: read it again by REST. */
  | { readonly type: 'inbox_changed' }
  /** Of a project that this socket does not follow, hence without cursor. */
  | ((UserQuestionFrame | QuestionResolvedFrame) & { readonly projectId: string })
  /** A piece of an answer that grows: not logged, may be missed; the `message` frame brings the whole. */
  | {
      readonly type: 'message_delta';
      readonly projectId: string;
      readonly agentId: string;
      readonly messageId: string;
      readonly text: string;
      readonly offset: number;
    }
  /** What has grown there becomes no message: its writer is gone, or began anew. */
  | {
      readonly type: 'message_discarded';
      readonly projectId: string;
      readonly agentId: string;
      readonly messageId: string;
    }
  /** After the replay. `reset`: the cursor was too old or not ours, reload by REST. */
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
      /** Which answer was refused. */
      readonly tool_use_id?: string;
    }
  | { readonly type: 'pong' };

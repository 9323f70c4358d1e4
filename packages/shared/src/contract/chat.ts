import { z } from 'zod';
import { MESSAGE_STATES } from '../core/chat/rules/message-machine.ts';
import { WARMING_REFUSALS } from '../core/chat/rules/warming.ts';
import { PURPOSES } from '../core/rules/work-key.ts';
import { attachmentIdsSchema, attachmentSchema } from './attachment.ts';
import { idParamSchema, instantSchema, limitSchema, textSchema } from './ids.ts';
import { PROJECT_STATUSES } from './project.ts';
import { growingAnswerSchema } from './step.ts';
import { usageSchema, usageSumSchema } from './usage.ts';

export const FAILURE_CODES = [
  'timeout',
  'agent_crashed',
  'stopped_by_person',
  'conversation_expired',
  'conversation_ended',
  'agent_deleted',
  'quota_reached',
  'usage_limit',
  'turn_failed',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** The values that a text needs in every language: numbers and short names, never secrets. */
const paramsSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type TextParams = z.infer<typeof paramsSchema>;

/** Why a message failed. */
export const messageFailureSchema = z.object({ code: z.enum(FAILURE_CODES), params: paramsSchema });

/** A chat message, the same keys in REST, WebSocket and MCP. */
export const messageSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  senderId: z.string(),
  humanId: z.string().optional(),
  senderName: z.string(),
  receiverId: z.string().optional(),
  sender: z.enum(['user', 'agent', 'system']),
  content: z.string(),
  createdAt: instantSchema,
  visible: z.boolean(),
  conversationId: z.string().optional(),
  relatedTaskId: z.string().optional(),
  /** The schedule that posted it in the name of its maker. */
  scheduleId: z.string().optional(),
  attachments: z.array(attachmentSchema).optional(),
  state: z.enum(MESSAGE_STATES),
  failure: messageFailureSchema.optional(),
  system: z.object({ code: z.string(), params: paramsSchema }).optional(),
  redelivered: z.boolean().optional(),
  /**
   * Present only where a session fetches messages: the session was given this one before and has not answered
   * it.
   */
  repeat: z.literal(true).optional(),
  noReply: z.boolean().optional(),
  retrievalRunId: z.string().optional(),
  /** How many steps are kept with it; absent: none. */
  steps: z.number().int().optional(),
  usage: usageSchema.optional(),
  model: z.string().optional(),
  seq: z.number().int(),
});
export type Message = z.infer<typeof messageSchema>;

export const MAX_PERSON_MESSAGE_LENGTH = 4_000;
export const MAX_AGENT_MESSAGE_LENGTH = 100_000;
/** Why an agent could not answer. */
export const MAX_TURN_FAILURE_LENGTH = 1_000;

/** The name that a page gives itself: one open panel is one viewer. */
export const viewerIdSchema = z.string().regex(/^[A-Za-z0-9_.:-]{1,100}$/);

export const startChatBodySchema = z.strictObject({ viewerId: viewerIdSchema.optional() }).optional();
export const startChatResultSchema = z.object({
  status: z.enum(['started', 'pending', 'already_active']),
  warning: z.enum(['no_credential', 'no_coordinator']).optional(),
});
export type StartChatResult = z.infer<typeof startChatResultSchema>;

export const warmChatResultSchema = z.object({
  status: z.enum(['started', 'pending', 'already_active', 'refused']),
  /** Why nothing is started early. */
  reason: z.enum([...WARMING_REFUSALS, 'quota']).optional(),
});
export type WarmChatResult = z.infer<typeof warmChatResultSchema>;

export const startProjectChatBodySchema = z
  .strictObject({ agentId: idParamSchema.optional(), viewerId: viewerIdSchema.optional() })
  .optional();

export const endChatBodySchema = z
  .strictObject({
    viewerId: viewerIdSchema.optional(),
    cause: z.enum(['closed', 'unload']).optional(),
    force: z.boolean().optional(),
  })
  .optional();
export const endChatResultSchema = z.object({ ended: z.number().int(), viewersLeft: z.number().int() });
export type EndChatResult = z.infer<typeof endChatResultSchema>;

export const postMessageBodySchema = z.strictObject({
  content: textSchema(1, MAX_PERSON_MESSAGE_LENGTH),
  clientMessageId: z.string().min(1).max(200).optional(),
  relatedTaskId: idParamSchema.optional(),
  attachments: attachmentIdsSchema.optional(),
});

export const listMessagesQuerySchema = z
  .strictObject({
    after: idParamSchema.optional(),
    before: idParamSchema.optional(),
    limit: limitSchema,
    includeConversations: z.stringbool().optional(),
    includeInvisible: z.stringbool().optional(),
    viewerId: viewerIdSchema.optional(),
  })
  .refine((query) => query.after === undefined || query.before === undefined, 'after or before, not both');
export const messagePageSchema = z.object({
  messages: z.array(messageSchema),
  hasMore: z.boolean(),
  totalCount: z.number().int(),
});
export type MessagePage = z.infer<typeof messagePageSchema>;

export const markReadBodySchema = z.strictObject({ upToMessageId: idParamSchema });
export const unreadSchema = z.object({ unread: z.number().int() });
export const unreadCountsSchema = z.object({ counts: z.record(z.string(), z.number().int()) });
export const acceptedSchema = z.object({ accepted: z.literal(true) });

export const CHAT_STATUSES = [
  'none',
  'queued',
  'starting',
  'ready',
  'busy',
  'waiting_for_person',
  'ending',
  'failed',
] as const;
export type ChatStatus = (typeof CHAT_STATUSES)[number];

export const agentSessionSchema = z.object({
  chat: z.number().int(),
  task: z.number().int(),
  chatStatus: z.enum(CHAT_STATUSES),
  phase: z.string().optional(),
  reason: z.string().optional(),
  /** The position in the queue, from 1. */
  position: z.number().int().optional(),
  /** With the phase `pulling`: how much of the image that it starts in is there, in percent. */
  pullPercent: z.number().int().optional(),
  /** With the reason `folder_in_use`: the agent that works in the folder, which the agents of the project share. */
  waitsForAgentId: z.string().optional(),
  /** The task that it works on there; absent: it works on no task. */
  waitsForTask: z.object({ id: z.string(), title: z.string() }).optional(),
  since: instantSchema,
  idleAt: instantSchema.optional(),
  /** The answers that its session is writing and of which steps were reported; absent: none. */
  growing: z.array(growingAnswerSchema).optional(),
  /** What its session has used; absent: nothing was reported. */
  usage: usageSumSchema.optional(),
});
export type AgentSessionView = z.infer<typeof agentSessionSchema>;
export const agentSessionsSchema = z.object({ agentSessions: z.record(z.string(), agentSessionSchema) });

/** What a person sees of all his projects at once: at most 100 projects that are not archived, and 300 agents in them. */
export const overviewSchema = z.object({
  projects: z.array(z.object({ id: z.string(), name: z.string(), status: z.enum(PROJECT_STATUSES) })),
  agents: z.array(
    z.object({
      projectId: z.string(),
      agentId: z.string(),
      name: z.string(),
      /** Of its chat; also `busy` while it works on a task, and `waiting_for_person` while any of its cards is open. */
      state: z.enum(CHAT_STATUSES),
      since: instantSchema,
      unread: z.number().int(),
    }),
  ),
});
export type Overview = z.infer<typeof overviewSchema>;

export const pendingPurposeSchema = z.object({
  agentId: z.string(),
  purpose: z.enum(PURPOSES),
  taskId: z.string().optional(),
  conversationId: z.string().optional(),
  createdAt: instantSchema,
  startedAt: instantSchema.nullable(),
  removedAt: instantSchema.optional(),
  outcome: z.enum(['authenticated', 'expired', 'taken_by_session']).optional(),
});
export const pendingPurposesQuerySchema = z.strictObject({
  includeRecent: z.coerce.number().int().min(0).max(3_600).optional(),
});
export const pendingPurposesSchema = z.object({ pendingPurposes: z.array(pendingPurposeSchema) });
export type PendingPurposeView = z.infer<typeof pendingPurposeSchema>;

export const coordinatorSchema = z.object({
  id: z.string(),
  host: z.string(),
  alive: z.boolean(),
  lastSeenAt: instantSchema,
  capacity: z.number().int(),
  used: z.number().int(),
  labels: z.array(z.string()),
});
export const coordinatorsSchema = z.object({ coordinators: z.array(coordinatorSchema) });
export type CoordinatorView = z.infer<typeof coordinatorSchema>;

import { z } from 'zod';
import { APPROVAL_STATES } from '../../core/approvals/rules/approval-states.ts';
import { SESSION_STATES } from '../../core/sessions/rules/session-machine.ts';
import { messageSchema } from '../chat.ts';
import { holdSeconds, MAX_HOLD_SECONDS, receipt, sessionArguments } from './common.ts';

export const getNextActionInput = z.strictObject({
  hold_seconds: holdSeconds(MAX_HOLD_SECONDS),
  ...sessionArguments,
});

export const NEXT_ACTIONS = [
  'exit',
  'conversation_expired',
  'conversation_ended',
  'conversation_request',
  'get_pending_messages',
  'question_resolved',
  'approval_resolved',
  'work_on_task',
  'logout',
  'wait_for_messages',
] as const;

/** Part of every answer, whatever the action is. */
const common = {
  instruction: z.string(),
  state: z.enum(SESSION_STATES),
  /** A newer call of the same session ended this call. */
  superseded: z.literal(true).optional(),
  receipt,
  /** It may have been offered before: that answer was not acknowledged. */
  repeat: z.literal(true).optional(),
};

export const nextActionSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('exit'), reason: z.string(), ...common }),
  z.object({
    action: z.literal('conversation_expired'),
    conversation_id: z.string(),
    target: z.string(),
    undelivered: z.array(messageSchema),
    ...common,
  }),
  z.object({
    action: z.literal('conversation_ended'),
    conversation_id: z.string(),
    ended_by: z.string().nullable(),
    reason: z.string(),
    /** The closing message of the agent or person that ended it. */
    final_message: z.string().optional(),
    unread_messages: z.array(messageSchema),
    ...common,
  }),
  z.object({
    action: z.literal('conversation_request'),
    conversation_id: z.string(),
    from_agent_id: z.string(),
    from_agent_name: z.string(),
    purpose: z.string().nullable(),
    resumed: z.literal(true).optional(),
    ...common,
  }),
  z.object({ action: z.literal('get_pending_messages'), ...common }),
  z.object({
    action: z.literal('question_resolved'),
    tool_use_id: z.string(),
    status: z.enum(['answered', 'timeout', 'cancelled']),
    answers: z.record(z.string(), z.string()).optional(),
    ...common,
  }),
  z.object({
    action: z.literal('approval_resolved'),
    tool_use_id: z.string(),
    status: z.enum(APPROVAL_STATES).exclude(['pending']),
    note: z.string().optional(),
    ...common,
  }),
  z.object({ action: z.literal('work_on_task'), task_id: z.string(), ...common }),
  z.object({ action: z.literal('logout'), reason: z.string(), ...common }),
  z.object({ action: z.literal('wait_for_messages'), wait_seconds: z.number(), ...common }),
]);

/** MCP requires an object at the root of an output schema, so the union is published flat. */
export const getNextActionOutput = z.object({
  action: z.enum(NEXT_ACTIONS),
  ...common,
  reason: z.string().optional(),
  wait_seconds: z.number().optional(),
  conversation_id: z.string().optional(),
  target: z.string().optional(),
  undelivered: z.array(messageSchema).optional(),
  ended_by: z.string().nullable().optional(),
  final_message: z.string().optional(),
  unread_messages: z.array(messageSchema).optional(),
  from_agent_id: z.string().optional(),
  from_agent_name: z.string().optional(),
  purpose: z.string().nullable().optional(),
  resumed: z.literal(true).optional(),
  tool_use_id: z.string().optional(),
  status: z
    .enum(['answered', ...APPROVAL_STATES])
    .exclude(['pending'])
    .optional(),
  answers: z.record(z.string(), z.string()).optional(),
  note: z.string().optional(),
  task_id: z.string().optional(),
});

export type NextAction = z.infer<typeof nextActionSchema>;

import { z } from 'zod';
import { instantSchema } from './ids.ts';

/** Of one answer. Far above what a model does, so that a slip of the agent does not fill the sums. */
export const USAGE_LIMITS = {
  tokens: 1_000_000_000,
  costUsd: 1_000_000,
  /** 30 days. */
  durationMs: 2_592_000_000,
  modelLength: 200,
} as const;

const countSchema = z.int().min(0);

/** What an answer cost. */
export const usageSchema = z.object({
  inputTokens: countSchema,
  outputTokens: countSchema,
  cacheReadTokens: countSchema.optional(),
  /** Absent: not known. */
  costUsd: z.number().min(0).optional(),
  durationMs: countSchema,
});
export type Usage = z.infer<typeof usageSchema>;

/** Sums over answers; `costUsd`: of those whose cost is known, absent when it is of none. */
export const usageSumSchema = z.object({
  messages: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  costUsd: z.number().optional(),
  durationMs: z.int(),
});
export type UsageSum = z.infer<typeof usageSumSchema>;

export const USAGE_KEYS = ['agent', 'day', 'model'] as const;

/** Years before and after are no days of ours, and further on not of every calendar. */
const daySchema = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .refine((bound) => bound >= '1970' && bound < '3000', 'the year must be between 1970 and 2999');

export const usageQuerySchema = z.strictObject({
  from: daySchema.optional(),
  to: daySchema.optional(),
  by: z.enum(USAGE_KEYS).default('day'),
});
export type UsageQuery = z.infer<typeof usageQuerySchema>;

export const usageReportSchema = z.object({
  usage: z.array(usageSumSchema.extend({ key: z.string() })),
});
export type UsageReport = z.infer<typeof usageReportSchema>;

export const AGENT_USAGE_KEYS = ['day', 'model', 'project'] as const;

export const agentUsageQuerySchema = usageQuerySchema.extend({ by: z.enum(AGENT_USAGE_KEYS).default('day') });
export type AgentUsageQuery = z.infer<typeof agentUsageQuerySchema>;

/** The days are those of AIZUCHI_TIMEZONE; `from` and `to` are both included. */
export const agentUsageReportSchema = usageReportSchema.extend({
  from: z.iso.date(),
  to: z.iso.date(),
  /** Today, and when it ends: then the tokens of a daily limit are counted anew. */
  today: z.iso.date(),
  todayEndsAt: instantSchema,
});
export type AgentUsageReport = z.infer<typeof agentUsageReportSchema>;

/** What rest-api and mcp-server ask of the memory service: its internal API, opened by the internal token. */
import { z } from 'zod';
import {
  DEGRADATIONS,
  memorySearchSchema,
  searchMemoryBodySchema,
  searchResultPackSchema,
} from './memory.ts';

/** As MemoryScope. Everything is asked for by name: a key that is left out must not widen what is read. */
const scopeSchema = z.union([
  z.strictObject({ agentId: z.string(), projectId: z.string().nullable() }),
  z.strictObject({ agentId: z.string(), everything: z.literal(true) }),
]);
export type MemoryCallScope = z.infer<typeof scopeSchema>;

export const recollectionSchema = z.object({
  runId: z.string().nullable(),
  degraded: z.array(z.enum(DEGRADATIONS)),
  pack: searchResultPackSchema,
});

/** Each is a POST of `body`, answered by `response` or by an error of the contract. */
export const MEMORY_CALLS = {
  search: {
    path: '/internal/search',
    body: z.strictObject({
      scope: scopeSchema,
      body: searchMemoryBodySchema,
      byRules: z.boolean().optional(),
    }),
    response: memorySearchSchema,
  },
  recall: {
    path: '/internal/recall',
    body: z.strictObject({
      scope: scopeSchema,
      input: z.strictObject({
        text: z.string(),
        clientId: z.string(),
        eventId: z.string().optional(),
        messageIds: z.array(z.string()).readonly().optional(),
        limit: z.int().min(1).max(100).optional(),
        budgetMs: z.int().min(1).optional(),
        byRules: z.boolean().optional(),
      }),
    }),
    response: recollectionSchema,
  },
} as const;

import { MEMORY_CALLS, type MemoryCallScope } from '@aizuchi/shared/contract/memory-calls';
import { storable } from '@aizuchi/shared/contract/storable';
import type { MemoryScope } from '@aizuchi/shared/core/memory/memory-scope';
import { AppError } from '@aizuchi/shared/platform/errors';
import { Turnstile } from '@aizuchi/shared/platform/http/turnstile';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { Context } from './context.ts';

/** These places bound what is held while models are asked; what reads has fewer (bounded-queries.ts). */
const AT_ONCE = { perCaller: 8, total: 32, waiting: 100 };

/** The calls of contract/memory-calls.ts, no memory more of them at once than its share. */
export function addCalls(
  app: FastifyInstance,
  { memory, metrics }: Pick<Context, 'memory' | 'metrics'>,
): void {
  const turnstile = new Turnstile(AT_ONCE);

  async function run<T>(
    call: string,
    agentId: string,
    reply: FastifyReply,
    work: () => Promise<T>,
  ): Promise<T> {
    const end = metrics.calls.startTimer({ call });
    let outcome = 'error';
    try {
      const leave = await enter(turnstile, agentId, reply);
      const result = await work().finally(leave);
      outcome = 'ok';
      return result;
    } finally {
      end({ outcome });
    }
  }

  app.post(MEMORY_CALLS.search.path, async (request, reply) => {
    const { scope, body, byRules } = parse(MEMORY_CALLS.search.body, request.body);
    return run('search', scope.agentId, reply, () => memory.search(scopeOf(scope), body, { byRules }));
  });
  app.post(MEMORY_CALLS.recall.path, async (request, reply) => {
    const { scope, input } = parse(MEMORY_CALLS.recall.body, request.body);
    return run('recall', scope.agentId, reply, () => memory.recall(scopeOf(scope), input));
  });
}

/**
 * A caller whose deadline has passed closes its connection, and does not wait any longer. Once it is admitted its place
 * is kept until the work has ended, which goes on without the caller. Resolves with what gives the place back.
 */
async function enter(turnstile: Turnstile, agentId: string, { raw }: FastifyReply): Promise<() => void> {
  let leave: () => void = () => undefined;
  const giveUp = () => leave();
  try {
    await turnstile.enter(agentId, (gone) => {
      leave = gone;
      raw.once('close', giveUp);
    });
    raw.off('close', giveUp);
    return leave;
  } catch (cause) {
    throw new AppError('unavailable', 'Too many calls for one memory wait already.', {
      retryAfterSeconds: 1,
      cause,
    });
  }
}

function parse<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const result = storable(schema).safeParse(body);
  if (result.success) return result.data as z.output<S>;
  const [issue] = result.error.issues;
  throw new AppError(
    'invalid_input',
    `Not valid: ${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'the body'}.`,
  );
}

function scopeOf(given: MemoryCallScope): MemoryScope {
  const { agentId } = given;
  return { agentId, projectId: 'everything' in given ? undefined : given.projectId };
}

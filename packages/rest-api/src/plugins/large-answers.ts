import { LARGE_ANSWERS, Turnstile } from '@aizuchi/shared/platform/http/turnstile';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** For routes whose answer is large after waiting: resolves when it may be read. */
    enterLargeAnswers: (() => Promise<void>) | undefined;
  }
}

/**
 * Limits how many large answers are in memory at a time, from before their rows are read until the client has
 * received them. Otherwise many of them, or clients that do not read, could take all memory and all database
 * connections.
 */
export function boundLargeAnswers(app: FastifyInstance): void {
  const turnstile = new Turnstile(LARGE_ANSWERS);
  app.decorateRequest('enterLargeAnswers', undefined);
  app.addHook('preHandler', async (request, { raw }) => {
    const { person } = request;
    const { isLarge } = request.routeOptions.config.route ?? {};
    if (!person || !isLarge) return;
    const enter = () =>
      turnstile.enter(person.id, (leave) => {
        if (raw.closed) leave();
        else raw.once('close', leave);
      });
    if (isLarge === 'after_waiting') request.enterLargeAnswers = enter;
    else await enter();
  });
}

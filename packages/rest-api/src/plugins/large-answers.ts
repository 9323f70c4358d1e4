import { LARGE_ANSWERS, Turnstile } from '@aizuchi/shared/platform/http/turnstile';
import type { FastifyInstance } from 'fastify';

/**
 * Limits how many large answers are in memory at a time, from before their rows are read until the client has
 * received them. Otherwise many of them, or clients that do not read, could take all memory and all database
 * connections.
 */
export function boundLargeAnswers(app: FastifyInstance): void {
  const turnstile = new Turnstile(LARGE_ANSWERS);
  app.addHook('preHandler', async ({ person, routeOptions }, { raw }) => {
    if (!person || !routeOptions.config.route?.isLarge) return;
    await turnstile.enter(person.id, (leave) => {
      if (raw.closed) leave();
      else raw.once('close', leave);
    });
  });
}

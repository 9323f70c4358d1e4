import { LARGE_ANSWERS, Turnstile } from '@aizuchi/shared/platform/http/turnstile';
import type { FastifyInstance } from 'fastify';

/**
 * Answers that may be large are in memory a few at a time, from before they are read until the client has them: many
 * of them at once, or readers that take nothing, must not take the memory and the connections of everybody.
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

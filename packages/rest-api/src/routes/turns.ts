import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';
import { turnStream } from '../streams/turn-stream.ts';

const EVENT_ID = 'x-aizuchi-event-id';

export function turnRoutes({ turns }: RestContext): HandlersOf<'postTurn' | 'followTurn' | 'stopTurn'> {
  return {
    postTurn: async ({ person, body, reply }) => {
      const { eventId, frames } = await turns.start(person, body);
      if (eventId !== undefined) reply.header(EVENT_ID, eventId);
      return turnStream(frames);
    },
    followTurn: async ({ person, params, request, reply }) => {
      const frames = await turns.follow(
        person,
        params.eventId,
        lastEventId(request.headers['last-event-id']),
      );
      reply.header(EVENT_ID, params.eventId);
      return turnStream(frames);
    },
    stopTurn: ({ person, params }) => turns.stop(person, params.eventId),
  };
}

/** What is no id of ours is as none: the client gets everything. */
function lastEventId(header: string | string[] | undefined): number {
  const id = typeof header === 'string' && /^\d{1,9}$/.test(header) ? Number(header) : 0;
  return id;
}

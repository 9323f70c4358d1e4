import { z } from 'zod';
import { idParamSchema } from '../ids.ts';
import { postTurnBodySchema, TURN_BODY_BYTES } from '../turn.ts';
import type { RouteDefinition } from './route.ts';

const eventId = z.object({ eventId: idParamSchema });

const EVENTS =
  'Events: `token {text}`, then one of `done {event_id, reply_text, usage, retrieval_run_id}` and `error {code, message}` with `llm_unavailable` (no model is configured, or its server refuses), `llm_stream_failed` (the reply broke off) or `image_too_large`. A turn that somebody stops ends with `done`. Each has an `id`; a comment is sent every 15 s.';

export const TURNS_ROUTES = {
  postTurn: {
    method: 'POST',
    path: '/api/chat',
    caller: 'writer',
    tag: 'Memory',
    summary: 'Say something to an agent that answers from its memory, as server-sent events',
    description: `${EVENTS} The header X-Aizuchi-Event-Id names the event of the turn. The turn goes on when the client leaves. 409 \`chat_busy\`: a turn of this agent and client runs. 429 \`rate_limited\`: too many turns of the caller run. 403 \`forbidden\`: clientId is another person.`,
    body: postTurnBodySchema,
    bodyLimit: TURN_BODY_BYTES,
    success: 200,
    response: z.string(),
    contentType: 'text/event-stream',
  },
  followTurn: {
    method: 'GET',
    path: '/api/chat/:eventId/stream',
    caller: 'person',
    tag: 'Memory',
    summary: 'The events of a turn: those behind Last-Event-ID, then the further ones as they come',
    description: `${EVENTS} Without Last-Event-ID from the beginning. Text that was sent in several tokens may come in one.`,
    params: eventId,
    success: 200,
    response: z.string(),
    contentType: 'text/event-stream',
  },
  stopTurn: {
    method: 'DELETE',
    path: '/api/chat/:eventId',
    caller: 'writer',
    tag: 'Memory',
    summary: 'End a turn; what was said is kept. Nothing happens when it has ended',
    params: eventId,
    success: 204,
  },
} as const satisfies Record<string, RouteDefinition>;

import { z } from 'zod';
import { TURN_BODY_BYTES } from '../turn.ts';
import {
  captureRequestBodySchema,
  captureRequestedSchema,
  captureResponseBodySchema,
  eventStreamQuerySchema,
} from '../vision.ts';
import type { RouteDefinition } from './route.ts';

export const VISION_ROUTES = {
  followAgentEvents: {
    method: 'GET',
    path: '/api/events/stream',
    caller: 'person',
    tag: 'Memory',
    summary: 'What an agent wants from the caller now, as server-sent events',
    description:
      'Each event is the JSON object `{event_id, type, data}`; `event_id` 0: it is not logged. `vision.capture_request {request_id, source, timeout_ms}` asks the caller for an image; what is open already comes first. `vision.capture_resolved {request_id, status}`: it is not open any more. A comment is sent every 15 s. 429 `rate_limited`: too many streams of the caller.',
    query: eventStreamQuerySchema,
    success: 200,
    response: z.string(),
    contentType: 'text/event-stream',
  },
  requestCapture: {
    method: 'POST',
    path: '/api/vision/capture-request',
    caller: 'writer',
    tag: 'Memory',
    summary: 'Ask a page of the caller for an image, for the memory of an agent',
    description:
      'The page hears of it by `GET /api/events/stream`, and answers within two minutes. 503 `llm_unavailable`: no model is configured that could describe it. 403 `forbidden`: clientId is another person.',
    body: captureRequestBodySchema,
    success: 202,
    response: captureRequestedSchema,
  },
  answerCapture: {
    method: 'POST',
    path: '/api/vision/capture-response',
    caller: 'writer',
    tag: 'Memory',
    summary: 'Give the images that were asked for, or decline',
    description:
      'Answers when a model has described them: the description is an event of the memory (source `vision_detail`), the images are dropped. 404 `capture_request_not_found`: no such request, or it is not open any more (answered, timed out, cancelled), or another person was asked. 413 `image_too_large`. 503 `llm_unavailable`: nothing was stored, and the request is open as before.',
    body: captureResponseBodySchema,
    bodyLimit: TURN_BODY_BYTES,
    success: 204,
  },
} as const satisfies Record<string, RouteDefinition>;

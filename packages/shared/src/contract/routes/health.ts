import { z } from 'zod';
import { healthSchema, readinessSchema } from '../health.ts';
import type { RouteDefinition } from './route.ts';

export const HEALTH_ROUTES = {
  health: {
    method: 'GET',
    path: '/healthz',
    caller: 'public',
    tag: 'Health',
    summary: 'Whether the process lives, and which one it is',
    success: 200,
    response: healthSchema,
  },
  readiness: {
    method: 'GET',
    path: '/readyz',
    caller: 'public',
    tag: 'Health',
    summary: 'Whether it can serve: the database answers and has every migration',
    success: 200,
    response: readinessSchema,
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    caller: 'local',
    tag: 'Health',
    summary: 'Figures for Prometheus: from this host, or with a bearer',
    success: 200,
    response: z.string(),
    contentType: 'text/plain',
  },
} as const satisfies Record<string, RouteDefinition>;

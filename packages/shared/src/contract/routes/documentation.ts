import { z } from 'zod';
import type { RouteDefinition } from './route.ts';

const openApiSchema = z.looseObject({ openapi: z.string() });

export const DOCUMENTATION_ROUTES = {
  openApi: {
    method: 'GET',
    path: '/api/openapi.json',
    caller: 'public',
    tag: 'Documentation',
    summary: 'This document',
    success: 200,
    response: openApiSchema,
  },
  docs: {
    method: 'GET',
    path: '/api/docs',
    caller: 'public',
    tag: 'Documentation',
    summary: 'A page to browse this document',
    success: 200,
    response: z.string(),
    contentType: 'text/html',
  },
} as const satisfies Record<string, RouteDefinition>;

import { agentSchema } from '@aizuchi/shared/contract/agent';
import { accessTokenSchema } from '@aizuchi/shared/contract/auth';
import { coordinatorSchema, messageSchema } from '@aizuchi/shared/contract/chat';
import { errorBodySchema } from '@aizuchi/shared/contract/errors';
import { projectSchema } from '@aizuchi/shared/contract/project';
import { taskSchema } from '@aizuchi/shared/contract/task';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { CSRF_HEADER } from './credentials.ts';
import { DOCUMENTATION_CSP } from './security-headers.ts';

/** Schemas that the document defines once and refers to by name. */
const named = z.registry<{ id: string }>();
named.add(agentSchema, { id: 'Agent' });
named.add(accessTokenSchema, { id: 'AccessToken' });
named.add(coordinatorSchema, { id: 'Coordinator' });
named.add(errorBodySchema, { id: 'Error' });
named.add(messageSchema, { id: 'Message' });
named.add(projectSchema, { id: 'Project' });
named.add(taskSchema, { id: 'Task' });

/** OpenAPI 3.1, generated from the route table. */
export async function addOpenApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Aizuchi',
        version,
        description:
          'People and AI agents that share projects, a task board and a chat. Call with a bearer, or with the ' +
          'cookie of the page together with its X-Aizuchi-Csrf header.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          cookie: { type: 'apiKey', in: 'cookie', name: 'aizuchi_session' },
          csrf: { type: 'apiKey', in: 'header', name: CSRF_HEADER },
        },
      },
    },
    transform: createJsonSchemaTransform({ schemaRegistry: named }),
    transformObject: createJsonSchemaTransformObject({ schemaRegistry: named }),
  });
}

/** Adds a page to browse the document. It loads nothing from other servers. */
export async function addDocumentationPage(app: FastifyInstance): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, open: true };
    });
    await scope.register(swaggerUi, {
      routePrefix: '/api/docs',
      staticCSP: DOCUMENTATION_CSP,
      uiConfig: { deepLinking: true, validatorUrl: null },
    });
  });
}

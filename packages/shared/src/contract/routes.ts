import { z } from 'zod';
import {
  agentPageSchema,
  agentSchema,
  createAgentBodySchema,
  createdAgentSchema,
  listAgentsQuerySchema,
  passkeySchema,
  setPasskeyBodySchema,
  updateAgentBodySchema,
} from './agent.ts';
import {
  accessTokenPageSchema,
  changePasskeyBodySchema,
  createdTokenSchema,
  createTokenBodySchema,
  loginBodySchema,
  loginResultSchema,
  meSchema,
} from './auth.ts';
import {
  acceptedSchema,
  agentSessionsSchema,
  coordinatorsSchema,
  endChatBodySchema,
  endChatResultSchema,
  listMessagesQuerySchema,
  markReadBodySchema,
  messagePageSchema,
  messageSchema,
  pendingPurposesQuerySchema,
  pendingPurposesSchema,
  postMessageBodySchema,
  startChatBodySchema,
  startChatResultSchema,
  startProjectChatBodySchema,
  unreadCountsSchema,
  unreadSchema,
} from './chat.ts';
import { healthSchema, readinessSchema } from './health.ts';
import { idParamSchema } from './ids.ts';
import { pageQuerySchema } from './page.ts';
import {
  createProjectBodySchema,
  listProjectsQuerySchema,
  membershipSchema,
  projectPageSchema,
  projectSchema,
  updateProjectBodySchema,
} from './project.ts';
import { settingsViewSchema, updateSettingsBodySchema } from './settings.ts';
import {
  createTaskBodySchema,
  listTasksQuerySchema,
  taskPageSchema,
  taskSchema,
  updateTaskBodySchema,
} from './task.ts';

/**
 * Who may call: anyone · a program on this host, or anyone signed in · anyone signed in, as far as he may see it ·
 * not viewers · owners only. The transport asks who is calling, the services decide what he may.
 */
export type RouteCaller = 'public' | 'local' | 'person' | 'writer' | 'owner';

export interface RouteDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `:name` for each parameter. */
  readonly path: `/${string}`;
  readonly caller: RouteCaller;
  readonly tag: 'Health' | 'Auth' | 'Agents' | 'Projects' | 'Tasks' | 'Chat' | 'Settings' | 'Documentation';
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly success: 200 | 201 | 202 | 204;
  /** The first call made it (`success`), the same call again found it. */
  readonly repeated?: 200;
  /** Absent: no body (204). */
  readonly response?: z.ZodType;
  /** Of a response that is not JSON but a text. */
  readonly contentType?: string;
}

const aid = z.object({ aid: idParamSchema });
const pid = z.object({ pid: idParamSchema });
const tid = z.object({ tid: idParamSchema });
const tokenId = z.object({ tokenId: idParamSchema });
const pair = z.object({ pid: idParamSchema, aid: idParamSchema });
const pairMessage = pair.extend({ mid: idParamSchema });
const openApiSchema = z.looseObject({ openapi: z.string() });
const CHAT = '/api/projects/:pid/agents/:aid/chat';

/** Every route of the REST server, once: the server registers these and nothing else, OpenAPI and clients read it. */
export const ROUTES = {
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

  login: {
    method: 'POST',
    path: '/api/auth/login',
    caller: 'public',
    tag: 'Auth',
    summary: 'Sign in with a passkey, or with the code of a sign-in link',
    body: loginBodySchema,
    success: 200,
    response: loginResultSchema,
  },
  logout: {
    method: 'POST',
    path: '/api/auth/logout',
    caller: 'person',
    tag: 'Auth',
    summary: 'End this sign-in: its token and cookie open nothing any more',
    success: 204,
  },
  me: {
    method: 'GET',
    path: '/api/auth/me',
    caller: 'person',
    tag: 'Auth',
    summary: 'Who is calling',
    success: 200,
    response: meSchema,
  },
  changePasskey: {
    method: 'POST',
    path: '/api/auth/passkey',
    caller: 'person',
    tag: 'Auth',
    summary: "Change the caller's own passkey",
    body: changePasskeyBodySchema,
    success: 204,
  },
  listTokens: {
    method: 'GET',
    path: '/api/auth/tokens',
    caller: 'person',
    tag: 'Auth',
    summary: "The caller's API tokens",
    query: pageQuerySchema,
    success: 200,
    response: accessTokenPageSchema,
  },
  createToken: {
    method: 'POST',
    path: '/api/auth/tokens',
    caller: 'person',
    tag: 'Auth',
    summary: 'Make a named API token; it is shown once',
    body: createTokenBodySchema,
    success: 201,
    response: createdTokenSchema,
  },
  deleteToken: {
    method: 'DELETE',
    path: '/api/auth/tokens/:tokenId',
    caller: 'person',
    tag: 'Auth',
    summary: 'Revoke an API token',
    params: tokenId,
    success: 204,
  },

  listAgents: {
    method: 'GET',
    path: '/api/agents',
    caller: 'person',
    tag: 'Agents',
    summary: 'People and AI agents that the caller may see',
    query: listAgentsQuerySchema,
    success: 200,
    response: agentPageSchema,
  },
  createAgent: {
    method: 'POST',
    path: '/api/agents',
    caller: 'owner',
    tag: 'Agents',
    summary: 'Make an agent or a person; a new passkey is shown once',
    body: createAgentBodySchema,
    success: 201,
    response: createdAgentSchema,
  },
  getAgent: {
    method: 'GET',
    path: '/api/agents/:aid',
    caller: 'person',
    tag: 'Agents',
    summary: 'One agent or person',
    params: aid,
    success: 200,
    response: agentSchema,
  },
  updateAgent: {
    method: 'PATCH',
    path: '/api/agents/:aid',
    caller: 'person',
    tag: 'Agents',
    summary: 'Change an agent; what is not named stays. Owners everything, others their own name and role',
    params: aid,
    body: updateAgentBodySchema,
    success: 200,
    response: agentSchema,
  },
  deleteAgent: {
    method: 'DELETE',
    path: '/api/agents/:aid',
    caller: 'owner',
    tag: 'Agents',
    summary: 'Delete an agent: its runs stop, what waits for it fails',
    params: aid,
    success: 204,
  },
  setPasskey: {
    method: 'POST',
    path: '/api/agents/:aid/passkey',
    caller: 'owner',
    tag: 'Agents',
    summary: 'Set or make a passkey; it is shown once',
    params: aid,
    body: setPasskeyBodySchema,
    success: 200,
    response: passkeySchema,
  },
  deletePasskey: {
    method: 'DELETE',
    path: '/api/agents/:aid/passkey',
    caller: 'owner',
    tag: 'Agents',
    summary: 'Take the passkey away: nobody can sign in as this agent',
    params: aid,
    success: 204,
  },

  listProjects: {
    method: 'GET',
    path: '/api/projects',
    caller: 'person',
    tag: 'Projects',
    summary: 'The projects of the caller; owners see all',
    query: listProjectsQuerySchema,
    success: 200,
    response: projectPageSchema,
  },
  createProject: {
    method: 'POST',
    path: '/api/projects',
    caller: 'owner',
    tag: 'Projects',
    summary: 'Make a project; without a working directory one is made',
    body: createProjectBodySchema,
    success: 201,
    response: projectSchema,
  },
  getProject: {
    method: 'GET',
    path: '/api/projects/:pid',
    caller: 'person',
    tag: 'Projects',
    summary: 'One project',
    params: pid,
    success: 200,
    response: projectSchema,
  },
  updateProject: {
    method: 'PATCH',
    path: '/api/projects/:pid',
    caller: 'writer',
    tag: 'Projects',
    summary: 'Change a project; what is not named stays. Folder, status and policy: owners',
    params: pid,
    body: updateProjectBodySchema,
    success: 200,
    response: projectSchema,
  },
  deleteProject: {
    method: 'DELETE',
    path: '/api/projects/:pid',
    caller: 'owner',
    tag: 'Projects',
    summary: 'Delete a project; its folder stays',
    params: pid,
    success: 204,
  },
  listMembers: {
    method: 'GET',
    path: '/api/projects/:pid/agents',
    caller: 'person',
    tag: 'Projects',
    summary: 'The agents and people of a project',
    params: pid,
    query: pageQuerySchema,
    success: 200,
    response: agentPageSchema,
  },
  addMember: {
    method: 'PUT',
    path: '/api/projects/:pid/agents/:aid',
    caller: 'owner',
    tag: 'Projects',
    summary: 'Put an agent or a person into a project',
    params: pair,
    success: 200,
    response: membershipSchema,
  },
  removeMember: {
    method: 'DELETE',
    path: '/api/projects/:pid/agents/:aid',
    caller: 'owner',
    tag: 'Projects',
    summary: 'Take an agent or a person out of a project',
    params: pair,
    success: 204,
  },

  listTasks: {
    method: 'GET',
    path: '/api/projects/:pid/tasks',
    caller: 'person',
    tag: 'Tasks',
    summary: 'The tasks of a project',
    params: pid,
    query: listTasksQuerySchema,
    success: 200,
    response: taskPageSchema,
  },
  createTask: {
    method: 'POST',
    path: '/api/projects/:pid/tasks',
    caller: 'writer',
    tag: 'Tasks',
    summary: 'Make a task',
    params: pid,
    body: createTaskBodySchema,
    success: 201,
    response: taskSchema,
  },
  getTask: {
    method: 'GET',
    path: '/api/tasks/:tid',
    caller: 'person',
    tag: 'Tasks',
    summary: 'One task',
    params: tid,
    success: 200,
    response: taskSchema,
  },
  updateTask: {
    method: 'PATCH',
    path: '/api/tasks/:tid',
    caller: 'writer',
    tag: 'Tasks',
    summary: 'Change or move a task; names the version that the caller has seen',
    params: tid,
    body: updateTaskBodySchema,
    success: 200,
    response: taskSchema,
  },
  deleteTask: {
    method: 'DELETE',
    path: '/api/tasks/:tid',
    caller: 'writer',
    tag: 'Tasks',
    summary: 'Delete a task',
    params: tid,
    success: 204,
  },

  startChat: {
    method: 'POST',
    path: `${CHAT}/start`,
    caller: 'writer',
    tag: 'Chat',
    summary: 'Open the chat: the agent is woken when it does not run',
    params: pair,
    body: startChatBodySchema,
    success: 200,
    response: startChatResultSchema,
  },
  startProjectChat: {
    method: 'POST',
    path: '/api/projects/:pid/chat/start',
    caller: 'writer',
    tag: 'Chat',
    summary: 'Open the chat with the only AI agent of a project, or with the named one',
    params: pid,
    body: startProjectChatBodySchema,
    success: 200,
    response: startChatResultSchema,
  },
  endChat: {
    method: 'POST',
    path: `${CHAT}/end`,
    caller: 'writer',
    tag: 'Chat',
    summary: 'Close the chat for one viewer, or for all of the caller',
    params: pair,
    body: endChatBodySchema,
    success: 200,
    response: endChatResultSchema,
  },
  listMessages: {
    method: 'GET',
    path: `${CHAT}/messages`,
    caller: 'person',
    tag: 'Chat',
    summary: 'Messages, each page oldest first',
    params: pair,
    query: listMessagesQuerySchema,
    success: 200,
    response: messagePageSchema,
  },
  postMessage: {
    method: 'POST',
    path: `${CHAT}/messages`,
    caller: 'writer',
    tag: 'Chat',
    summary: 'Say something; the same clientMessageId again gives the first message (200)',
    params: pair,
    body: postMessageBodySchema,
    success: 201,
    repeated: 200,
    response: messageSchema,
  },
  retryMessage: {
    method: 'POST',
    path: `${CHAT}/messages/:mid/retry`,
    caller: 'writer',
    tag: 'Chat',
    summary: 'Give a failed message to the agent again',
    params: pairMessage,
    success: 202,
    response: acceptedSchema,
  },
  interruptChat: {
    method: 'POST',
    path: `${CHAT}/interrupt`,
    caller: 'writer',
    tag: 'Chat',
    summary: 'End the running answer; what was said is kept',
    params: pair,
    success: 202,
    response: acceptedSchema,
  },
  newChat: {
    method: 'POST',
    path: `${CHAT}/new`,
    caller: 'writer',
    tag: 'Chat',
    summary: 'A fresh context for the agent; the history stays',
    params: pair,
    success: 202,
    response: acceptedSchema,
  },
  markRead: {
    method: 'POST',
    path: `${CHAT}/mark-read`,
    caller: 'person',
    tag: 'Chat',
    summary: 'The caller has read up to this message',
    params: pair,
    body: markReadBodySchema,
    success: 200,
    response: unreadSchema,
  },
  unreadCounts: {
    method: 'GET',
    path: '/api/projects/:pid/unread-counts',
    caller: 'person',
    tag: 'Chat',
    summary: 'Unread messages of the caller by agent',
    params: pid,
    success: 200,
    response: unreadCountsSchema,
  },
  agentSessions: {
    method: 'GET',
    path: '/api/projects/:pid/agent-sessions',
    caller: 'person',
    tag: 'Chat',
    summary: 'Which agents are awake, and what they do',
    params: pid,
    success: 200,
    response: agentSessionsSchema,
  },
  pendingPurposes: {
    method: 'GET',
    path: '/api/projects/:pid/pending-purposes',
    caller: 'person',
    tag: 'Chat',
    summary: 'Wake-ups that wait for a start',
    params: pid,
    query: pendingPurposesQuerySchema,
    success: 200,
    response: pendingPurposesSchema,
  },
  coordinators: {
    method: 'GET',
    path: '/api/coordinators',
    caller: 'person',
    tag: 'Chat',
    summary: 'The hosts that start agents',
    success: 200,
    response: coordinatorsSchema,
  },

  getSettings: {
    method: 'GET',
    path: '/api/settings',
    caller: 'person',
    tag: 'Settings',
    summary: 'The settings, and where each comes from',
    success: 200,
    response: settingsViewSchema,
  },
  updateSettings: {
    method: 'PUT',
    path: '/api/settings',
    caller: 'owner',
    tag: 'Settings',
    summary: 'Change settings; what is not named stays',
    body: updateSettingsBodySchema,
    success: 200,
    response: settingsViewSchema,
  },

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

export type Routes = typeof ROUTES;
export type RouteName = keyof Routes;

type PartOf<R, K extends string> = R extends { readonly [P in K]: infer S extends z.ZodType } ? S : never;

/** What a handler gets: the parts as they are after validation. */
export interface RouteInput<N extends RouteName> {
  readonly params: [PartOf<Routes[N], 'params'>] extends [never]
    ? undefined
    : z.output<PartOf<Routes[N], 'params'>>;
  readonly query: [PartOf<Routes[N], 'query'>] extends [never]
    ? undefined
    : z.output<PartOf<Routes[N], 'query'>>;
  readonly body: [PartOf<Routes[N], 'body'>] extends [never]
    ? undefined
    : z.output<PartOf<Routes[N], 'body'>>;
}

/** What a handler returns, and a client reads. */
export type RouteOutput<N extends RouteName> = [PartOf<Routes[N], 'response'>] extends [never]
  ? undefined
  : z.output<PartOf<Routes[N], 'response'>>;

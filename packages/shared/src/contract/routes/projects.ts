import { z } from 'zod';
import { agentPageSchema } from '../agent.ts';
import { chatImportResultSchema } from '../chat-import.ts';
import { folderListSchema, listFoldersQuerySchema } from '../folder.ts';
import { pageQuerySchema } from '../page.ts';
import {
  createProjectBodySchema,
  listProjectsQuerySchema,
  membershipSchema,
  projectPageSchema,
  projectSchema,
  updateProjectBodySchema,
} from '../project.ts';
import { importProjectQuerySchema, projectImportResultSchema } from '../transfer.ts';
import { membership, pid } from './params.ts';
import type { RouteDefinition } from './route.ts';

export const PROJECTS_ROUTES = {
  listProjects: {
    method: 'GET',
    path: '/api/projects',
    caller: 'person',
    tag: 'Projects',
    summary: 'The projects of the caller; owners see all',
    description:
      'A page holds at most 1 MiB of descriptions: it may be shorter than `limit`. `nextCursor` is null behind the last one.',
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
  listFolders: {
    method: 'GET',
    path: '/api/folders',
    caller: 'owner',
    tag: 'Projects',
    summary: 'The folders in a folder, to choose a working directory; without a path the allowed places',
    description:
      'Only inside AIZUCHI_WORKSPACE_ROOTS and never in the own folder of the product; `~` is understood. Files, links and hidden folders are not listed. At most 500: `isCut` says that there are more. `refusal` says why the folder itself cannot be used.',
    query: listFoldersQuerySchema,
    success: 200,
    response: folderListSchema,
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
    summary:
      'Change a project; what is not named stays. Folder, status, policy, isolation and egress: owners',
    description:
      'The server applies `permissionPolicy` to each request from now on; what the program of an agent does by it changes at its next start. `egress` counts from the next start of an agent on; null: no list. 409 `project_has_running_agents`: folder and isolation change only while no run lives.',
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
    description:
      'A page holds at most 1 MiB of prompts and commands: it may be shorter than `limit`. `nextCursor` is null behind the last one.',
    isLarge: true,
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
    params: membership,
    success: 200,
    response: membershipSchema,
  },
  removeMember: {
    method: 'DELETE',
    path: '/api/projects/:pid/agents/:aid',
    caller: 'owner',
    tag: 'Projects',
    summary: 'Take an agent or a person out of a project',
    params: membership,
    success: 204,
  },
  exportProject: {
    method: 'GET',
    path: '/api/projects/:pid/export',
    caller: 'person',
    tag: 'Projects',
    summary: 'The project with its tasks as lines of JSON (NDJSON), to keep or to import elsewhere',
    description:
      'The lines are `header`, `project`, its `agent`s, and each `task` before its `comment`, `history`, `attempt` and `context` lines; the last is `end`: a file without it is not whole. Chats, conversations, files and the memory of agents are not in it.',
    isLarge: true,
    params: pid,
    success: 200,
    response: z.string(),
    contentType: 'application/x-ndjson',
  },
  importProject: {
    method: 'POST',
    path: '/api/projects/import',
    caller: 'owner',
    tag: 'Projects',
    summary: 'Make a project of the lines of an export, or nothing',
    description:
      'Ids are made anew, except that of the project when the query names one: the same import again is then 409 `id_taken`. Agents and people are those who have the same name here; what belonged to others (`unmatched`) is unassigned. The project is paused, and has a folder of its own. 422 `import_invalid`: `details` name the `line` and the `reason`. A line has at most 1 MiB, the whole at most 32 MiB and 100,000 lines (413).',
    query: importProjectQuerySchema,
    body: z.string().optional(),
    streamed: 'application/x-ndjson',
    success: 201,
    response: projectImportResultSchema,
  },
  importChats: {
    method: 'POST',
    path: '/api/projects/:pid/chats/import',
    caller: 'owner',
    tag: 'Projects',
    summary: 'Take the chats of a folder that was used before into the history',
    description:
      'Reads `.ai-pm/agents/<id>/chat.jsonl` in the working directory for each AI agent of the project: all lines of all of them, or nothing. What a chat holds already is left out, so the same call again makes nothing new. 422 `import_invalid`: `details` name the `file`, the `line` (0: the file itself) and the `reason`; 409 `chat_not_empty`: something else was said in the chat since; 413 for more than 20,000 lines. Lines of conversations between agents are counted and left out. `unknown` names the folders of agents who are not in the project.',
    params: pid,
    success: 200,
    response: chatImportResultSchema,
  },
} as const satisfies Record<string, RouteDefinition>;

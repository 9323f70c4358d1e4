import { Readable } from 'node:stream';
import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names =
  | 'listProjects'
  | 'createProject'
  | 'listFolders'
  | 'getProject'
  | 'updateProject'
  | 'deleteProject'
  | 'listMembers'
  | 'addMember'
  | 'removeMember'
  | 'exportProject'
  | 'importProject'
  | 'importChats';

export function projectRoutes({
  projects,
  projectExport,
  projectImport,
  chatImport,
}: RestContext): HandlersOf<Names> {
  return {
    listProjects: ({ person, query }) => projects.list(person, query),
    createProject: ({ person, body }) => projects.create(person, body),
    listFolders: ({ person, query }) => projects.listFolders(person, query),
    getProject: ({ person, params }) => projects.get(person, params.pid),
    updateProject: ({ person, params, body }) => projects.update(person, params.pid, body),
    deleteProject: async ({ person, params }) => {
      await projects.remove(person, params.pid);
      return undefined;
    },
    listMembers: ({ person, params, query }) => projects.listAgents(person, params.pid, query),
    addMember: ({ person, params }) =>
      projects.putAgent(person, { projectId: params.pid, agentId: params.aid }),
    removeMember: async ({ person, params }) => {
      await projects.removeAgent(person, { projectId: params.pid, agentId: params.aid });
      return undefined;
    },
    exportProject: async ({ person, params, reply }) => {
      const file = await projectExport.export(person, params.pid);
      // Only the id of a project is known to fit into a header.
      reply.header('content-disposition', `attachment; filename="${params.pid}.ndjson"`);
      return file;
    },
    importChats: ({ person, params }) => chatImport.run(person, params.pid),
    importProject: ({ person, query, request }) =>
      projectImport.run(person, query, request.readPieces?.() ?? Readable.from([])),
  };
}

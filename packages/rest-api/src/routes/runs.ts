import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

export function runRoutes({
  runs,
}: RestContext): HandlersOf<'listRuns' | 'getRun' | 'getRunLog' | 'stopRun'> {
  return {
    listRuns: ({ person, params, query }) => runs.list(person, params.pid, query),
    getRun: ({ person, params }) => runs.get(person, params.rid),
    getRunLog: async ({ person, params, query, reply }) => {
      const { text, start, end } = await runs.log(person, params.rid, query);
      reply.type('text/plain; charset=utf-8').header('x-log-start', start).header('x-log-end', end);
      return text;
    },
    stopRun: async ({ person, params }) => {
      await runs.stop(person, params.rid);
      return { accepted: true } as const;
    },
  };
}

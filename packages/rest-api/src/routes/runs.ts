import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

export function runRoutes({
  runs,
  changes,
}: RestContext): HandlersOf<
  'listRuns' | 'getRun' | 'getRunLog' | 'stopRun' | 'getRunChanges' | 'decideRunChanges'
> {
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
    getRunChanges: ({ person, params, request }) =>
      changes.get(person, params.rid, () => request.enterLargeAnswers?.()),
    decideRunChanges: ({ person, params, body, request }) =>
      changes.decide(person, params.rid, body, () => request.enterLargeAnswers?.()),
  };
}

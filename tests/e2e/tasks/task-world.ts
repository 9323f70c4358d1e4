import { type Run, runPageSchema } from '@aizuchi/shared/contract/run';
import { type Step, stepListSchema } from '@aizuchi/shared/contract/step';
import { z } from 'zod';
import { until } from '../start/product-process.ts';

const taskSchema = z.object({ id: z.string(), status: z.string(), version: z.number() });
const commentsSchema = z.object({ comments: z.array(z.object({ authorId: z.string(), body: z.string() })) });
const attemptsSchema = z.object({
  attempts: z.array(
    z.object({
      n: z.number(),
      runId: z.string(),
      outcome: z.string().optional(),
      summary: z.string().optional(),
      steps: z.number().optional(),
      usage: z.looseObject({ inputTokens: z.number() }).optional(),
    }),
  ),
});

export type Call = (method: string, path: string, body?: object) => Promise<unknown>;
export interface Assignee {
  readonly projectId: string;
  readonly agentId: string;
}

/** The board of a running product, as a person uses it. */
export class Board {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  async add({ projectId, agentId }: Assignee, task: object): Promise<string> {
    const body = { status: 'todo', assigneeId: agentId, ...task };
    return taskSchema.parse(await this.#call('POST', `/projects/${projectId}/tasks`, body)).id;
  }

  async task(id: string) {
    return taskSchema.parse(await this.#call('GET', `/tasks/${id}`));
  }

  /** Again when somebody has changed the task meanwhile. */
  async move(id: string, status: string): Promise<void> {
    await until(async () => {
      const { version } = await this.task(id);
      return this.#call('PATCH', `/tasks/${id}`, { version, status }).then(
        () => true,
        (error: unknown) => {
          if (String(error).includes('version_conflict')) return false;
          throw error;
        },
      );
    });
  }

  async untilStatus(id: string, status: string): Promise<void> {
    await until(async () => (await this.task(id)).status === status);
  }

  async comments(id: string): Promise<string[]> {
    const { comments } = commentsSchema.parse(await this.#call('GET', `/tasks/${id}/comments`));
    return comments.map(({ body }) => body);
  }

  async attempts(id: string) {
    return attemptsSchema.parse(await this.#call('GET', `/tasks/${id}/attempts`)).attempts;
  }

  async steps(id: string, attempt: number): Promise<Step[]> {
    return stepListSchema.parse(await this.#call('GET', `/tasks/${id}/attempts/${attempt}/steps`)).steps;
  }

  async runs({ projectId }: Assignee): Promise<Run[]> {
    return runPageSchema.parse(await this.#call('GET', `/projects/${projectId}/runs`)).runs;
  }

  /** Resolves with the runs, the newest first. */
  async untilAllExited(assignee: Assignee): Promise<Run[]> {
    await until(async () => (await this.runs(assignee)).every(({ state }) => state === 'exited'));
    return this.runs(assignee);
  }
}

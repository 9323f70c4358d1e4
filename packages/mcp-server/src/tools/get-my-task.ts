import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { agentTool } from '../tool.ts';
import { toolTask } from './tool-task.ts';

export const getMyTask = agentTool(
  TOOLS.get_my_task,
  async (_args, caller, { context }) => {
    const { instructions, agentWork } = context;
    const { task, attempt, notes, comments, attempts, dependencies } = await agentWork.get(caller);
    return {
      task: toolTask(task),
      attempt,
      context: notes.map(({ at, attempt: number, text }) => ({
        at: at.toISOString(),
        attempt: number,
        text,
      })),
      comments: comments.map(({ at, authorId, authorName, text, attachments }) => ({
        at: at.toISOString(),
        author_id: authorId,
        author_name: authorName,
        text,
        ...(attachments && { attachments: [...attachments] }),
      })),
      attempts: attempts.map(({ n, agentId, startedAt, endedAt, outcome, summary }) => ({
        attempt: n,
        agent_id: agentId,
        started_at: startedAt.toISOString(),
        ended_at: endedAt?.toISOString() ?? null,
        outcome,
        summary,
      })),
      dependencies: dependencies.map(({ taskId, title, status, summary }) => ({
        task_id: taskId,
        title,
        status,
        summary,
      })),
      instruction:
        attempts.length === 0 && notes.length === 0 ? instructions.myTask : instructions.myTaskAgain,
    };
  },
  { large: true },
);

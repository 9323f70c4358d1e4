import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { AgentWork } from '../../src/core/tasks/agent-work.ts';
import { TASK_STATUSES, type TaskStatus } from '../../src/core/tasks/rules/task-status.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { AppError } from '../../src/platform/errors.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { expectInvariants } from '../chat/chat-support.ts';
import { beatOf } from './task-work-support.ts';

/*
 * People move, block and reassign tasks that wait for each other, two Coordinators start agents at once, processes crash,
 * leave and report: no task is lost, none is worked on twice, and all of them are done in the end.
 */

const HOSTS = ['host-a', 'host-b'] as const;
const TASKS = 4;
/** Enough for every task to fail, to be put back and to wait for all others, and far too few for a loop. */
const MAX_ROUNDS = 40;

let world: ServiceWorld;
let board: TaskService;
let work: AgentWork;
beforeAll(async () => {
  world = await ServiceWorld.create();
  board = new TaskService(world.deps);
  work = new AgentWork(world.deps);
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

/** A process that was started for a task. */
interface Process {
  readonly runId: string;
  readonly ticket: string;
  readonly host: string;
  caller: AgentCaller | null;
}

const step = fc.record({
  kind: fc.constantFrom(
    'move',
    'move',
    'assign',
    'start',
    'start',
    'signIn',
    'report',
    'crash',
    'leave',
    'save',
    'stop',
    'pause',
    'sweep',
    'together',
    'rewire',
    'lose',
  ),
  task: fc.nat(TASKS - 1),
  who: fc.nat(5),
  status: fc.constantFrom(...TASK_STATUSES),
});

class Board {
  readonly members: readonly WorldAgent[];
  readonly taskIds: readonly string[];
  readonly #processes: Process[] = [];
  #isPaused = false;

  constructor(members: readonly WorldAgent[], taskIds: readonly string[]) {
    this.members = members;
    this.taskIds = taskIds;
  }

  async take({ kind, task, who, status }: { kind: string; task: number; who: number; status: TaskStatus }) {
    const taskId = this.taskIds[task] ?? '';
    const member = this.members[who % this.members.length];
    const process = this.#processes[who % Math.max(1, this.#processes.length)];
    switch (kind) {
      case 'move':
        return this.#change(taskId, { status });
      case 'assign':
        return this.#change(taskId, { assigneeId: who === 5 ? null : (member?.agentId ?? null) });
      case 'start':
        return this.start();
      case 'signIn':
        return process && this.#signIn(process);
      case 'report':
        return process && this.#report(process, status === 'blocked' ? 'blocked' : 'done');
      case 'crash':
        return process && this.#exit(process, 1);
      case 'leave':
        return process && this.#leave(process);
      case 'save':
        return process?.caller && allowed(work.saveContext(process.caller, { text: 'So far.' }));
      case 'stop':
        return process && allowed(world.runs.stop(world.owner, process.runId));
      case 'pause':
        return this.#pause(!this.#isPaused);
      case 'together':
        return this.#together(task, status, process);
      case 'rewire':
        return this.#rewire(task, who);
      case 'lose':
        return this.#lose(HOSTS[who % HOSTS.length] ?? HOSTS[0]);
      default:
        return this.sweep();
    }
  }

  /** Both Coordinators ask for everybody at the same time. */
  async start(): Promise<void> {
    await Promise.all(
      HOSTS.flatMap((host) =>
        this.members.map(async (member) => {
          const action = await world.coordination.getAgentAction({ ...member, coordinatorId: host });
          if (action.action !== 'start' || action.ticket === null) return;
          const { runId, ticket } = action;
          this.#processes.push({ runId, ticket, host, caller: null });
        }),
      ),
    );
  }

  async sweep(): Promise<void> {
    world.clock.advance(61_000);
    for (const host of HOSTS) {
      const running = this.#processes.filter((one) => one.host === host).map(({ runId }) => runId);
      await world.coordination.beat(beatOf(host, running));
    }
    await world.sessions.touch(this.#processes.flatMap(({ caller }) => caller?.sessionId ?? []));
    await world.sweeper.runOnce();
  }

  /** Two people, an agent and both Coordinators at the same time. */
  async #together(task: number, status: TaskStatus, process: Process | undefined): Promise<void> {
    const [one = '', other = ''] = [this.taskIds[task], this.taskIds[(task + 1) % TASKS]];
    await Promise.all([
      this.#change(one, { status }),
      this.#change(other, { status }),
      this.#change(one, { assigneeId: this.members[task % this.members.length]?.agentId ?? null }),
      process && this.#report(process, 'done'),
      this.start(),
    ]);
  }

  /** Another task that it waits for, or none; a circle is refused. */
  async #rewire(task: number, who: number): Promise<void> {
    const taskId = this.taskIds[task] ?? '';
    const { status, version } = await board.get(world.owner, taskId);
    if (status === 'in_progress') return;
    const dependsOn = who === 5 ? [] : [this.taskIds[(task + 1 + (who % (TASKS - 1))) % TASKS] ?? ''];
    await allowed(board.update(world.owner, taskId, { version, dependsOn }));
  }

  /** A host is silent until its work is given out again. What its processes report then is too late. */
  async #lose(host: string): Promise<void> {
    const lost = this.#processes.filter((one) => one.host === host);
    this.#processes.splice(0, Infinity, ...this.#processes.filter((one) => one.host !== host));
    world.clock.advance(61_000);
    for (const one of HOSTS.filter((other) => other !== host))
      await world.coordination.beat(
        beatOf(
          one,
          this.#processes.map(({ runId }) => runId),
        ),
      );
    await world.sweeper.runOnce();
    for (const process of lost) {
      await this.#report(process, 'done');
      await allowed(world.coordination.reportProcessExit({ runId: process.runId, exitCode: 0 }));
    }
    await world.coordination.beat(beatOf(host));
  }

  /** Whoever lives does its work, or hears that it is not its work any more. */
  async finish(): Promise<void> {
    for (const process of [...this.#processes]) {
      await this.#signIn(process);
      await this.#report(process, 'done');
      await this.#leave(process);
    }
  }

  async resume(): Promise<void> {
    await this.#pause(false);
    for (const taskId of this.taskIds) {
      const { status, assigneeId } = await board.get(world.owner, taskId);
      if (assigneeId === undefined)
        await this.#change(taskId, { assigneeId: this.members[0]?.agentId ?? null });
      if (status === 'cancelled') await this.#change(taskId, { status: 'backlog' });
      if (status === 'cancelled' || status === 'backlog') await this.#change(taskId, { status: 'todo' });
    }
    for (const taskId of this.taskIds) await this.#change(taskId, { status: 'in_progress' });
  }

  async #pause(isPaused: boolean): Promise<void> {
    if (isPaused === this.#isPaused) return;
    const { projectId } = this.members[0] ?? { projectId: '' };
    await world.projects.update(world.owner, projectId, { status: isPaused ? 'paused' : 'active' });
    this.#isPaused = isPaused;
  }

  async #change(taskId: string, values: { status?: TaskStatus; assigneeId?: string | null }): Promise<void> {
    const { version } = await board.get(world.owner, taskId);
    await allowed(board.update(world.owner, taskId, { version, ...values }));
  }

  async #signIn(process: Process): Promise<void> {
    if (process.caller !== null) return;
    const bearer = process.ticket;
    const result = await world.sessions.authenticate({ bearer, address: '127.0.0.1' });
    if (result.success) process.caller = await world.sessions.resolve(bearer);
  }

  async #report({ caller }: Process, result: 'done' | 'blocked'): Promise<void> {
    if (caller !== null) await allowed(work.report(caller, { result, summary: 'As far as it goes.' }));
  }

  async #leave(process: Process): Promise<void> {
    if (process.caller !== null) await world.sessions.logout(process.caller);
    await this.#exit(process, 0);
  }

  async #exit(process: Process, exitCode: number): Promise<void> {
    this.#processes.splice(this.#processes.indexOf(process), 1);
    await world.coordination.reportProcessExit({ runId: process.runId, exitCode });
  }
}

/** What the rules refuse is no failure. */
async function allowed(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
  });
}

/** What must hold after every step: each row is a violation. */
const VIOLATIONS = `
  select 'two processes of ' || task_id as violation from agent_runs
    where purpose = 'task' and state <> 'exited' and stop_requested_at is null group by task_id having count(*) > 1
  union all
  select 'two sessions of ' || task_id from agent_sessions
    where purpose = 'task' and state = 'active' group by task_id having count(*) > 1
  union all
  select 'a session for what is not its work: ' || s.task_id from agent_sessions s join tasks t on t.id = s.task_id
    where s.state = 'active' and (t.status <> 'in_progress' or t.assignee_id is distinct from s.agent_id)
  union all
  select 'an attempt without a process: ' || a.task_id from task_attempts a
    where a.ended_at is null and not exists (select from agent_runs r where r.id = a.run_id and r.state <> 'exited')
  union all
  select 'above its limit: ' || r.agent_id from agent_runs r join agents a on a.id = r.agent_id
    where r.purpose = 'task' and r.state <> 'exited' group by r.agent_id, a.max_parallel_tasks
    having count(*) > a.max_parallel_tasks
  union all
  select 'begun before what it waits for: ' || a.task_id from task_attempts a
    join task_dependencies d on d.task_id = a.task_id join tasks b on b.id = d.depends_on_id
    where b.status = 'backlog' and a.ended_at is null and not exists (
      select from task_attempts done where done.task_id = b.id)`;

/** Of a task that has waited longer than it may without anybody at work on it. */
const LOST = `
  select 'lost: ' || t.id as violation from tasks t join projects p on p.id = t.project_id and p.status = 'active'
    where t.status = 'in_progress' and t.assignee_id is not null and t.deleted_at is null
      and not exists (select from pending_agent_purposes w where w.task_id = t.id and w.agent_id = t.assignee_id)
      and not exists (select from agent_sessions s where s.task_id = t.id and s.agent_id = t.assignee_id and s.state <> 'ended')
      and not exists (select from agent_runs r where r.task_id = t.id and r.agent_id = t.assignee_id and r.state <> 'exited')`;

async function violations(query: string): Promise<string[]> {
  const { rows } = await world.database.pool.query(query);
  return rows.map(({ violation }) => violation);
}

async function newBoard(): Promise<Board> {
  const membership = await world.agentInProject({ maxParallelTasks: 2 });
  const members = [membership, await world.colleague(membership)];
  const taskIds: string[] = [];
  for (let index = 0; index < TASKS; index += 1) {
    const task = await board.create(world.owner, membership.projectId, {
      title: `Task ${index}`,
      status: 'todo',
      assigneeId: members[index % 2]?.agentId,
      // Each second one waits for the one before.
      dependsOn: index % 2 === 1 ? taskIds.slice(-1) : [],
    });
    taskIds.push(task.id);
  }
  return new Board(members, taskIds);
}

it('no task is lost or worked on twice, and all are done in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      const current = await newBoard();
      for (const one of steps) {
        await current.take(one);
        expect(await violations(VIOLATIONS), JSON.stringify(one)).toEqual([]);
      }
      const isDone = async () => {
        for (const taskId of current.taskIds)
          if ((await board.get(world.owner, taskId)).status !== 'done') return false;
        return true;
      };
      let rounds = 0;
      for (; rounds < MAX_ROUNDS && !(await isDone()); rounds += 1) {
        await current.resume();
        await current.sweep();
        expect(await violations(LOST)).toEqual([]);
        await current.start();
        await current.finish();
        expect(await violations(VIOLATIONS)).toEqual([]);
      }
      expect(rounds, 'rounds until all are done').toBeLessThan(MAX_ROUNDS);
      await current.finish();
    }),
    { numRuns: 3 },
  );
}, 240_000);

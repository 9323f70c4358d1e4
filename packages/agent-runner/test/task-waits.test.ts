import type { Conversation } from '@aizuchi/shared/contract/conversation';
import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import type { MyTask } from '@aizuchi/shared/contract/tools/task-tools';
import { ScriptedRefusal, type ToolScript } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LoopWorld } from './loop-world.ts';
import { ACTION, AGENT_ID, batchOf, message } from './runner-world.ts';
import { DONE, ScriptedDriver, type ScriptedRun, text } from './scripted-driver.ts';

/* An agent that waits in its task for another one is told when there is nothing left to wait for. */

let world: LoopWorld;
beforeEach(async () => {
  world = await LoopWorld.make();
});
afterEach(() => world.close());

const TASK: NextAction = { action: 'work_on_task', task_id: 'tsk_1', instruction: '', state: 'active' };
const WAIT: NextAction = {
  action: 'wait_for_messages',
  wait_seconds: 0,
  instruction: '',
  state: 'active',
};
const AT = '2026-01-01T00:00:00.000Z';
const MINE: MyTask = {
  task: {
    task_id: 'tsk_1',
    title: 'Ask Echo',
    description: '',
    status: 'in_progress',
    priority: 'medium',
    assignee_id: AGENT_ID,
    assignee_name: 'Aiko',
    parent_id: null,
    depends_on: [],
    labels: [],
    due_date: null,
    version: 1,
    created_at: AT,
    updated_at: AT,
  },
  attempt: 1,
  context: [],
  comments: [],
  attempts: [],
  dependencies: [],
  instruction: '',
};

const ENDED_BY_ITSELF = { state: 'terminating', endedBy: AGENT_ID, endReason: 'initiator_ended' } as const;
const ENDED_BY_PARTNER = { state: 'terminating', endedBy: 'agt_2', endReason: 'participant_ended' } as const;

const says = (what: string): ScriptedRun =>
  async function* () {
    yield text(what);
    yield DONE;
  };

/** It waits, and is over with the conversation, by the tool, in the turn that reads the answer. */
function modelThatEnds() {
  let isOver = false;
  const driver = new ScriptedDriver([
    says('I have asked Echo.'),
    says('WAITING'),
    async function* () {
      isOver = true;
      yield { type: 'end', reason: 'done', answered: true };
    },
    says('Blue it is.'),
    says('DONE: it is blue.'),
  ]);
  return { driver, isOver: () => isOver };
}

interface TaskServer {
  /** The conversation as it is read each time; null: there is none. */
  readonly conversation: (look: number) => Partial<Conversation> | null;
  readonly mine?: (report: (args: unknown) => void) => MyTask;
  /** An action after those of the list; undefined: none until the task is reported. Called again after each one. */
  readonly more?: (untilLook: (count: number) => Promise<void>) => Promise<NextAction | undefined>;
}

/** A task session, which ends when the task is reported. */
async function work(
  driver: ScriptedDriver,
  actions: readonly NextAction[],
  { conversation, mine = () => MINE, more = async () => undefined }: TaskServer,
) {
  const looks = new Looks();
  const reported = Promise.withResolvers<unknown>();
  const queue = [...actions];
  const script: ToolScript = {
    get_next_action: async () => {
      // Until they are fetched: the work may last longer than the loop waits for it.
      const action = queue[0] === ACTION.messages ? queue[0] : queue.shift();
      if (action) return action;
      const another = await more((count) => looks.until(count));
      if (another) return another;
      await reported.promise;
      return ACTION.exit;
    },
    get_pending_messages: () => {
      queue.shift();
      return {
        ...batchOf(message('msg_c2', 'Blue.', { sender: 'agent', senderId: 'agt_2' })),
        source: { kind: 'conversation', conversation_id: 'conv_1', agent_id: 'agt_2' },
      };
    },
    get_my_task: () => mine(reported.resolve),
    report_completed: (args) => {
      reported.resolve(args);
      return { success: true, task: MINE.task, instruction: '' };
    },
    get_conversation_messages: () => {
      const known = conversation(looks.add());
      if (!known) throw new ScriptedRefusal('no_active_conversation');
      return {
        conversation: {
          id: 'conv_1',
          projectId: 'prj_1',
          initiatorAgentId: AGENT_ID,
          participantAgentId: 'agt_2',
          state: 'active',
          purpose: null,
          messageCount: 2,
          maxMessages: 20,
          chainId: 'conv_1',
          taskId: MINE.task.task_id,
          createdAt: AT,
          endedAt: null,
          endedBy: null,
          endReason: null,
          finalMessage: null,
          ...known,
        },
        messages: [message('msg_c2', 'Blue.', { sender: 'agent', senderId: 'agt_2' })],
        has_more: false,
        total_count: 2,
      };
    },
  };
  const { exit } = await world.live(driver, [], { script });
  expect(await exit).toBe(0);
  return reported.promise;
}

/** How often the conversation was read. */
class Looks {
  #count = 0;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  add(): number {
    this.#count += 1;
    for (const { count, resolve } of this.#waiting) if (this.#count >= count) resolve();
    return this.#count;
  }

  until(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#count >= count) resolve();
    else this.#waiting.push({ count, resolve });
    return promise;
  }
}

const promptsOf = ({ turns }: ScriptedDriver) => turns.map(({ messages }) => messages[0]?.content ?? '');

test('it has ended the conversation itself: the work goes on', async () => {
  const { driver, isOver } = modelThatEnds();
  const reported = await work(driver, [TASK, ACTION.messages], {
    conversation: () => (isOver() ? ENDED_BY_ITSELF : {}),
  });
  expect(promptsOf(driver)[3]).toContain('no conversation that goes on');
  expect(reported).toMatchObject({ result: 'done', summary: 'it is blue.' });
});

test('what it has answered leaves the conversation open: it waits on, until it is told of the end', async () => {
  const driver = new ScriptedDriver([
    says('I have asked Echo.'),
    says('WAITING'),
    says('Light or dark?'),
    says('Blue it is.'),
    says('DONE: it is blue.'),
  ]);
  const actions = [TASK, ACTION.messages, ACTION.ended('participant_ended')];
  expect(await work(driver, actions, { conversation: () => ({}) })).toMatchObject({ result: 'done' });
  expect(promptsOf(driver)[3]).toContain('conv_1 is over (participant_ended)');
});

test('an end that it has seen in the same turn is told no more: the work goes on when nothing is to tell', async () => {
  const { driver, isOver } = modelThatEnds();
  const reported = await work(driver, [TASK, ACTION.messages, WAIT], {
    conversation: () => (isOver() ? { state: 'terminating', endReason: 'max_messages' } : {}),
  });
  expect(reported).toMatchObject({ result: 'done' });
});

test('an end that came after the server had nothing to tell is told first', async () => {
  const driver = new ScriptedDriver([
    says('I have asked Echo.'),
    says('WAITING'),
    says('Blue it is.'),
    says('DONE: it is blue.'),
  ]);
  let isEnded = false;
  const told = [ACTION.ended('participant_ended')];
  await work(driver, [TASK], {
    conversation: (look) => {
      isEnded = look > 1;
      return isEnded ? ENDED_BY_PARTNER : {};
    },
    more: async (untilLook) => {
      await untilLook(1);
      return isEnded ? told.shift() : WAIT;
    },
  });
  expect(promptsOf(driver)[2]).toContain('conv_1 is over (participant_ended)');
});

test('it waits for the end of a later conversation, although it went on alone before', async () => {
  const driver = new ScriptedDriver([
    says('I have asked.'),
    says('WAITING'),
    says('I have asked another one.'),
    says('WAITING'),
    says('Blue it is.'),
    says('DONE: it is blue.'),
  ]);
  const told = [ACTION.ended('participant_ended')];
  const reported = await work(driver, [TASK], {
    conversation: (look) => (look === 1 ? null : { id: 'conv_2', ...ENDED_BY_PARTNER }),
    more: async (untilLook) => {
      await untilLook(2);
      return told.shift();
    },
  });
  expect(reported).toMatchObject({ result: 'done' });
});

test('it has reported in the turn that ended the conversation: nothing more is asked of it', async () => {
  const { driver, isOver } = modelThatEnds();
  await work(driver, [TASK, ACTION.messages], {
    conversation: () => (isOver() ? ENDED_BY_ITSELF : {}),
    mine: (report) => {
      if (!isOver()) return MINE;
      report('by the model');
      return { ...MINE, task: { ...MINE.task, status: 'done' } };
    },
  });
  expect(promptsOf(driver)).toHaveLength(3);
});

describe.each(['ended', 'expired'] as const)('a conversation that is %s', (state) => {
  const waitingTwice = () =>
    new ScriptedDriver([says('I have asked.'), says('WAITING'), says('So.'), says('WAITING')]);

  test('is none to wait for when nothing is told of it: told so once, then a person has to look', async () => {
    const driver = waitingTwice();
    const reported = await work(driver, [TASK], {
      conversation: () => ({ state }),
      more: async () => (driver.turns.length < 4 ? WAIT : undefined),
    });
    expect(reported).toMatchObject({ result: 'blocked' });
    expect(promptsOf(driver)[2]).toContain('no conversation that goes on');
  });

  test('is none to wait for when it is not of this task', async () => {
    const reported = await work(waitingTwice(), [TASK], {
      conversation: () => ({ state, taskId: 'tsk_2' }),
    });
    expect(reported).toMatchObject({ result: 'blocked' });
  });
});

test('without a conversation it is told so once; then a person has to look', async () => {
  const driver = new ScriptedDriver([
    says('I have made a subtask.'),
    says('WAITING for the subtask'),
    says('Still not.'),
    says('WAITING for the subtask'),
  ]);
  expect(await work(driver, [TASK], { conversation: () => null })).toMatchObject({
    result: 'blocked',
    summary: 'for the subtask',
  });
  expect(promptsOf(driver)[2]).toContain('no conversation that goes on');
});

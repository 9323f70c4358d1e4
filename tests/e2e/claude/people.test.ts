import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { QuestionItem } from '@aizuchi/shared/contract/question';
import { afterEach, expect, test } from 'vitest';
import type {
  ApprovalOutcome,
  ApprovalRequest,
  QuestionOutcome,
} from '../../../packages/agent-runner/src/driver.ts';
import { lastResults, type ModelScript, playing, resultText } from '../../fixtures/fake-anthropic.ts';
import { ClaudeWorld } from './claude-world.ts';

let world: ClaudeWorld;
afterEach(() => world.close());

const use = (tool: string, input: Record<string, unknown>) => ({ tool, input });
/** What the model was told of its call. */
const told: ModelScript = (request) => ({ text: lastResults(request).map(resultText).join() });

const option = (label: string) => ({ label, description: `about ${label}` });
const COLOUR: QuestionItem = {
  question: 'Which colour?',
  header: 'Colour',
  options: [option('Blue'), option('Red')],
  multiSelect: false,
};
const RIMS: QuestionItem = {
  question: 'Which rims?',
  header: 'Rims',
  options: [option('Gold'), option('Silver'), option('None')],
  multiSelect: true,
};

test('trap 17: a question of the model is asked as a card, and the answers come back by the text of the question', async () => {
  const header = 'Much too long a header';
  world = await ClaudeWorld.make({
    script: playing({
      ask: [use('AskUserQuestion', { questions: [{ ...COLOUR, header }, RIMS] }), told],
    }),
  });
  const session = await world.open();
  const asked: (readonly QuestionItem[])[] = [];
  const turn = world.turn('ask', {
    ask: async (questions) => {
      asked.push(questions);
      return {
        status: 'answered',
        answers: { 'Which colour?': 'a warm grey, please', 'Which rims?': 'Gold, Silver' },
      };
    },
  });
  const { answer, steps } = await world.play(session, turn);
  expect(asked).toEqual([[{ ...COLOUR, header: 'Much too lon' }, RIMS]]);
  expect(answer).toContain('"Which colour?"="a warm grey, please"');
  expect(answer).toContain('"Which rims?"="Gold, Silver"');
  // The card shows it.
  expect(steps).toEqual([]);
});

const UNANSWERED: readonly (readonly [QuestionOutcome['status'], RegExp])[] = [
  ['timeout', /Nobody answered in time\. No answer is not consent/],
  ['cancelled', /was cancelled without an answer\. No answer is not consent/],
  ['unavailable', /Nobody can be asked here/],
  ['refused', /No card was shown: two questions have the same text\. No person has seen/],
];

test('a question that ends without an answer is never an empty answer', async () => {
  world = await ClaudeWorld.make({
    script: playing({ ask: [use('AskUserQuestion', { questions: [COLOUR] }), told] }),
  });
  const session = await world.open();
  const reason = 'two questions have the same text';
  for (const [status, sentence] of UNANSWERED) {
    const turn = world.turn('ask', { ask: async () => ({ status, answers: {}, reason }) });
    const { answer, end } = await world.play(session, turn);
    expect([status, answer, end.reason]).toEqual([status, expect.stringMatching(sentence), 'done']);
  }
});

test('in a conversation between agents no person is asked', async () => {
  world = await ClaudeWorld.make({
    script: (request) =>
      lastResults(request).length > 0 ? told(request) : use('AskUserQuestion', { questions: [COLOUR] }),
  });
  const session = await world.open();
  let asked = 0;
  const turn = world.turn(
    [world.message('Hello', { sender: 'agent', senderId: 'agt_2', senderName: 'Echo' })],
    {
      source: { kind: 'conversation', conversation_id: 'conv_1', agent_id: 'agt_2' },
      ask: async () => {
        asked += 1;
        return { status: 'unavailable', answers: {} };
      },
    },
  );
  const { answer } = await world.play(session, turn);
  expect(asked).toBe(0);
  expect(answer).toMatch(/talking to another agent/);
});

/** The files that a command has made. */
const made = async () => (await readdir(world.folder)).filter((name) => !name.startsWith('.')).sort();

async function playTouches(answers: readonly ApprovalOutcome[]) {
  const touch = (name: string) => use('Bash', { command: `touch ${name}`, description: `Make ${name}` });
  world = await ClaudeWorld.make({ script: playing({ work: [touch('one'), touch('two'), told] }) });
  const session = await world.open();
  const asked: ApprovalRequest[] = [];
  const approve = async (request: ApprovalRequest): Promise<ApprovalOutcome> => {
    asked.push(request);
    return answers[asked.length - 1] ?? { decision: 'unavailable' };
  };
  return { ...(await world.play(session, world.turn('work', { approve }))), asked };
}

test('allowed once: the next command like it asks again', async () => {
  const { asked } = await playTouches([{ decision: 'allow_once' }, { decision: 'allow_once' }]);
  expect(asked).toEqual([
    {
      tool: 'Bash',
      summary: 'Make one',
      input: { command: 'touch one', description: 'Make one' },
      kind: 'command',
      sessionScope: 'commands that begin with “touch one”',
    },
    {
      tool: 'Bash',
      summary: 'Make two',
      input: { command: 'touch two', description: 'Make two' },
      kind: 'command',
      sessionScope: 'commands that begin with “touch two”',
    },
  ]);
  expect(await made()).toEqual(['one', 'two']);
});

test('refused with a note: the model reads the note, nothing was done, and the turn goes on', async () => {
  const { asked, answer, steps, end } = await playTouches([
    { decision: 'allow_once' },
    { decision: 'deny', note: 'after lunch, please' },
  ]);
  expect(asked).toHaveLength(2);
  expect(await made()).toEqual(['one']);
  expect(answer).toContain('The permission was refused, with this note: after lunch, please');
  expect(steps.map(({ status }) => status)).toEqual(['done', 'failed']);
  expect(end.reason).toBe('done');
});

test('a permission that ends without a decision is a refusal', async () => {
  world = await ClaudeWorld.make({
    script: playing({ work: [use('Bash', { command: 'touch one' }), told] }),
  });
  const session = await world.open();
  for (const decision of ['timeout', 'cancelled', 'unavailable'] as const) {
    const { answer } = await world.play(session, world.turn('work', { approve: async () => ({ decision }) }));
    expect(answer).toMatch(/Nobody permitted|was cancelled|Nobody can be asked/);
  }
  expect(await made()).toEqual([]);
});

test('allowed for the session: not asked again, and nothing is written to the settings of the host', async () => {
  const run = use('Bash', { command: 'npm --version', description: 'Version' });
  world = await ClaudeWorld.make({ script: playing({ work: [run, run, told] }) });
  const session = await world.open();
  let asked = 0;
  const approve = async (): Promise<ApprovalOutcome> => {
    asked += 1;
    return { decision: 'allow_session' };
  };
  await world.play(session, world.turn('work', { approve }));
  await world.play(session, world.turn('work', { approve }));
  expect(asked).toBe(1);
  expect(existsSync(join(world.folder, '.claude'))).toBe(false);
  expect(await readdir(join(world.home, '.claude'))).not.toContain('settings.json');
});

test('a change of files allowed for the session allows changes of files, and no commands', async () => {
  const write = (name: string) => () => use('Write', { file_path: join(world.folder, name), content: 'x\n' });
  world = await ClaudeWorld.make({
    script: playing({
      work: [write('one'), write('two'), use('Bash', { command: 'npm --version > three' }), told],
    }),
  });
  const session = await world.open();
  const asked: string[] = [];
  const approve = async ({ tool, summary }: ApprovalRequest): Promise<ApprovalOutcome> => {
    asked.push(`${tool}: ${summary}`);
    return { decision: 'allow_session' };
  };
  await world.play(session, world.turn('work', { approve }));
  expect(asked).toEqual(['Write: Change one', 'Bash: Run a command']);
  expect(await made()).toEqual(['one', 'three', 'two']);
});

test('only a change inside the working directory is called an edit', async () => {
  world = await ClaudeWorld.make({
    script: playing({
      work: [
        () => use('Write', { file_path: join(world.folder, 'inside'), content: 'x\n' }),
        () => use('Write', { file_path: join(world.home, 'outside'), content: 'x\n' }),
        told,
      ],
    }),
  });
  const session = await world.open();
  const kinds: unknown[] = [];
  const approve = async ({ kind }: ApprovalRequest): Promise<ApprovalOutcome> => {
    kinds.push(kind);
    return { decision: 'deny' };
  };
  await world.play(session, world.turn('work', { approve }));
  expect(kinds).toEqual(['edit', 'other']);
});

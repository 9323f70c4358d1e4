import { type Message, messageSchema } from '@aizuchi/shared/contract/chat';
import { retrievalRunSchema } from '@aizuchi/shared/contract/memory';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../start/product-process.ts';
import { TalksWorld } from '../talks/talks-world.ts';

const PROJECT = 'prj_memory';
const OTHER = 'prj_memory_other';
const AGENT = 'agt_memory';

/** The built-in agent in the whole product: what it was told it knows later, in its project. */
let world: TalksWorld;
beforeAll(async () => {
  world = await TalksWorld.start();
  await world.makeProject(PROJECT, { [AGENT]: 'こだま' });
  await world.makeProject(OTHER, {});
  await world.addMember(OTHER, AGENT);
});
afterAll(async () => {
  await world.stop();
});

/** What the agent answers to this. */
async function ask(content: string, projectId = PROJECT): Promise<Message> {
  const before = (await world.chatMessages(projectId, AGENT)).length;
  await world.write(projectId, AGENT, content);
  let answer: Message | undefined;
  await until(async () => {
    const messages = (await world.chatMessages(projectId, AGENT)).slice(before);
    answer = messages.find(({ sender }) => sender === 'agent');
    return answer !== undefined;
  });
  return messageSchema.parse(answer);
}

/** The same once memory was searched in time: a search that is late is left behind. */
async function askMemory(content: string, projectId = PROJECT): Promise<Message> {
  const answer = await ask(content, projectId);
  return /間に合わなかった|in time|検索できない|cannot search/.test(answer.content)
    ? askMemory(content, projectId)
    : answer;
}

async function endChat(): Promise<void> {
  await world.endChat(PROJECT, AGENT);
  await until(async () => (await world.liveSessions(PROJECT, AGENT)) === 0);
}

it('knows in a later chat what it was told, by whom and when, and how it found that', async () => {
  await ask('うちの猫の名前はモモだよ');
  await endChat();
  let answer = await ask('猫の名前について前に何て言った？');
  // Memory follows what is answered.
  await until(async () => {
    if (!answer.content.includes('モモ')) answer = await ask('猫の名前について前に何て言った？');
    return answer.content.includes('モモ');
  });
  expect(answer.content).toMatch(
    /\d{4}年\d+月\d+日 \d\d:\d\d、.+さん（チャット）：「うちの猫の名前はモモだよ」$/,
  );
  const path = `/memory/${AGENT}/retrieval-runs/${answer.retrievalRunId}?projectId=${PROJECT}`;
  const { selected } = await world.owner.call(retrievalRunSchema, 'GET', path);
  expect(selected?.map(({ snippet }) => snippet).join()).toContain('モモ');
});

it('remembers what it is asked to', async () => {
  const told = await ask('Remember that the office moves in May.');
  expect(told.content).toBe('I will remember this: "the office moves in May."');
  const answer = await askMemory('What did I tell you about the office?');
  expect(answer.content).toContain('the office moves in May');
});

it('does not know it in another project, nor what was never said', async () => {
  expect((await askMemory('猫の名前について前に何て言った？', OTHER)).content).toBe(
    '「猫の名前」については覚えていません。',
  );
  expect((await askMemory('Do you remember my birthday?')).content).toContain("I don't know.");
});

it('goes on without memory, and says that it is away', async () => {
  const pid = await world.pidOf('memory');
  process.kill(pid, 'SIGSTOP');
  try {
    expect((await ask('ありがとう')).content).toContain('どういたしまして');
    expect((await ask('猫の名前、覚えてる？')).content).toContain('いま記憶を検索できない');
    // Found by what it is stored with, as soon as memory is back.
    expect((await ask('会議は毎週月曜日だと覚えておいて')).content).toContain('と覚えました');
  } finally {
    process.kill(pid, 'SIGKILL');
  }
  await until(async () => (await ask('会議の件、覚えてる？')).content.includes('毎週月曜日'));
});

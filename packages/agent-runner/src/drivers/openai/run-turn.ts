import type { TurnEnd, TurnEvent } from '../../turn-events.ts';
import { askWithRetries } from './ask-with-retries.ts';
import {
  type AssistantEntry,
  answerCall,
  type ToolCallEntry,
  type TurnRecord,
  textOf,
  unansweredCalls,
} from './history/records.ts';
import type { ModelCall, Reply } from './model/ask-model.ts';
import { ModelFault, sentenceOf } from './model/faults.ts';
import { ASK_TOOL } from './tools/offered-tools.ts';
import { endedConversation, runTool, startedConversation, type ToolOutcome } from './tools/run-tool.ts';
import { offeredIn, type TurnWork } from './turn-work.ts';

const DONE: TurnEnd = { type: 'end', reason: 'done' };
const INTERRUPTED: TurnEnd = { type: 'end', reason: 'interrupted' };
/** A task is so many times as long as an answer may be. */
const TASK_TIMES = 5;
const NOT_KNOWN =
  'Your process ended during this call. It is not known whether it took effect: look before you repeat it.';

/** Asks the model until it calls no tool any more. The session can be used after every end. */
export async function* runTurn(work: TurnWork): AsyncGenerator<TurnEvent> {
  const { turn, record, context } = work;
  try {
    const end = yield* loop(work);
    close(record);
    await context.save();
    yield end;
  } catch (error) {
    close(record);
    record.closing = turn.signal.aborted
      ? '[You were interrupted here.]'
      : '[You could not finish this answer.]';
    // A turn that fails leaves its text in the chat.
    record.shownEntries = record.entries.length;
    await context.save();
    if (turn.signal.aborted) yield INTERRUPTED;
    else if (error instanceof ModelFault) yield failed(error, work);
    else throw error;
  }
}

/** What the model thought is of use within its turn only. */
function close(record: TurnRecord): void {
  record.isOpen = false;
  for (const entry of record.entries) if (entry.role === 'assistant') delete entry.reasoning;
}

async function* loop(work: TurnWork): AsyncGenerator<TurnEvent, TurnEnd> {
  const { turn, record, context, answer } = work;
  yield* goOn(work);
  if (isComplete(work)) return DONE;
  for (let step = 1; ; step += 1) {
    const { limits } = context;
    const times = turn.task ? TASK_TIMES : 1;
    const isLast = step > limits.steps * times || answer.toolUses >= limits.calls * times;
    const reply = yield* askWithRetries(work, isLast);
    const asked = reply.calls.length;
    reply.calls = reply.calls.slice(0, limits.callsOfReply);
    const isWhole = reply.finish === 'done' && !isLast;
    record.entries.push(entryOf(reply, isWhole));
    if (!reply.finish && !isLast) throw new ModelFault({ kind: 'cut' });
    if (reply.finish === 'length') throw new ModelFault({ kind: 'cutShort' });
    if (reply.finish === 'filtered') throw new ModelFault({ kind: 'filtered' });
    if (reply.calls.length === 0) return endOf(work);
    if (isLast) throw new ModelFault({ kind: 'tooManySteps' });
    // Before anything takes effect: a process that goes on from here must not do it twice.
    await context.save();
    const ended = yield* carryOut(work, reply.calls);
    if (asked > reply.calls.length)
      record.entries.push({ role: 'user', text: droppedNote(asked, reply.calls.length) });
    if (turn.source.kind === 'conversation' && ended.has(turn.source.conversation_id)) {
      context.history.forget(turn.source);
      return { type: 'end', reason: 'done', answered: true };
    }
  }
}

function droppedNote(asked: number, done: number): string {
  return `[You have called ${asked} tools at once. Only the first ${done} calls were carried out.]`;
}

/** Where an earlier process stood. Nothing that may have taken effect is done again. */
async function* goOn(work: TurnWork): AsyncGenerator<TurnEvent> {
  const { record, answer, alsoSaid } = work;
  yield* answer.goOnFrom(textOf(record));
  for (const call of unansweredCalls(record)) {
    const tool = offeredIn(work).find(({ name }) => name === call.tool);
    const isHarmless = call.tool === ASK_TOOL.name || tool?.isReadOnly;
    if (isHarmless) yield* carryOut(work, [call]);
    else answerCall(record, call, NOT_KNOWN);
  }
  if (alsoSaid !== '') record.entries.push({ role: 'user', text: alsoSaid });
}

/**
 * One after the other: a model may rely on the order. Returns the ids of conversations that have ended. The history is
 * saved before a person is waited for and at the end: to save it is as much work as it is long.
 */
async function* carryOut(
  work: TurnWork,
  calls: readonly ModelCall[],
): AsyncGenerator<TurnEvent, ReadonlySet<string>> {
  const { turn, record, context, answer } = work;
  const ended = new Set<string>();
  const offered = offeredIn(work);
  let isSaved = true;
  for (const call of calls) {
    if (call.tool === ASK_TOOL.name && !isSaved) await context.save();
    answer.toolUses += 1;
    const run = { turn, offered, stepId: answer.nextStepId(), said: answer.text };
    const outcome = yield* runTool(call, run);
    answerCall(record, call, outcome.text);
    noteStart(work, call, outcome);
    const id = endedConversation(call, outcome);
    if (id !== undefined) ended.add(id);
    isSaved = false;
  }
  if (!isSaved) await context.save();
  return ended;
}

/** The conversation has a history of its own, which begins with why it was begun. */
function noteStart({ turn, record, context }: TurnWork, call: ToolCallEntry, outcome: ToolOutcome): void {
  const id = startedConversation(call, outcome);
  if (id === undefined) return;
  const source = context.history.of({ kind: 'conversation', conversation_id: id, agent_id: '' });
  const { purpose, initial_message: first } = call.input;
  if (typeof purpose === 'string') source.purpose = purpose;
  const asked = record.entries.find(({ role }) => role === 'user')?.text ?? '';
  if (turn.source.kind === 'chat') source.isForChat = true;
  const where = turn.source.kind === 'chat' ? 'your chat with people' : 'another conversation';
  const why = `[You have begun this conversation from ${where}. There you were answering this:\n${asked}]`;
  source.records.push({
    messageIds: [],
    isOpen: false,
    entries: [
      { role: 'user', text: why },
      { role: 'assistant', text: typeof first === 'string' ? first : '' },
    ],
  });
}

function isComplete({ record }: TurnWork): boolean {
  const last = record.entries.at(-1);
  return last?.role === 'assistant' && !last.calls;
}

/**
 * In a conversation an empty answer means: read. A person would wait for it. Of a task the report counts, which the runner
 * asks for.
 */
function endOf({ turn, answer }: TurnWork): TurnEnd {
  if (!turn.task && turn.source.kind === 'chat' && answer.text.trim() === '')
    throw new ModelFault({ kind: 'empty' });
  return DONE;
}

function entryOf({ text, reasoning, calls }: Reply, isWhole: boolean): AssistantEntry {
  return {
    role: 'assistant',
    text: text.trim(),
    ...(isWhole && calls.length > 0 && { calls: calls.map(({ fault: _, ...call }) => call) }),
    ...(isWhole && calls.length > 0 && reasoning !== '' && { reasoning }),
  };
}

function failed(error: ModelFault, { context, answer }: TurnWork): TurnEnd {
  const { modelName: model, host, redact } = context.endpoint;
  const sentence = redact(sentenceOf(error.fault, answer.texts, { model, host, steps: answer.toolUses }));
  const isCut = error.fault.kind === 'cutShort' || error.fault.kind === 'tooManySteps';
  return { type: 'end', reason: 'failed', error: redact(error.message), sentence, isCut };
}

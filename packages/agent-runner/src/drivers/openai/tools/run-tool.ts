import { askedQuestionsSchema } from '@aizuchi/shared/contract/question';
import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import { z } from 'zod';
import type { Turn } from '../../../driver.ts';
import type { TurnEvent } from '../../../turn-events.ts';
import { cutBytes, cutText } from '../history/cut-text.ts';
import type { ModelCall } from '../model/ask-model.ts';
import { pieceThatFits } from './attachment-piece.ts';
import { ASK_TOOL, type OfferedTool } from './offered-tools.ts';

export interface ToolRun {
  readonly turn: Turn;
  readonly offered: readonly OfferedTool[];
  readonly stepId: string;
  /** The text of the answer before the call. */
  readonly said: string;
}

export interface ToolOutcome {
  /** What the model reads. */
  readonly text: string;
  readonly isFailed?: true;
  /** What the tool returned. */
  readonly output?: unknown;
}

/** What a model reads of one result: more fills its context, and it can ask for less. */
const RESULT_LENGTH = 16_000;
/** What people see of it. */
const DETAIL_BYTES = 4_096;

/** Carries out one call of the model. Throws only when the turn is aborted. */
export async function* runTool(call: ModelCall, run: ToolRun): AsyncGenerator<TurnEvent, ToolOutcome> {
  // The card itself is what people see.
  if (call.tool === ASK_TOOL.name) return askPerson(call, run);
  const step = { id: run.stepId, kind: 'tool', title: call.tool } as const;
  yield { type: 'step', step: { ...step, status: 'running' } };
  const outcome = await outcomeOf(call, run);
  const detail = cutBytes(outcome.text, DETAIL_BYTES);
  yield { type: 'step', step: { ...step, status: outcome.isFailed ? 'failed' : 'done', detail } };
  return outcome;
}

async function outcomeOf(call: ModelCall, { turn, offered, said }: ToolRun): Promise<ToolOutcome> {
  const tool = offered.find(({ name }) => name === call.tool);
  if (!tool) {
    const names = offered.map(({ name }) => name).join(', ');
    return failed(`There is no tool "${call.tool}". These are there: ${names}.`);
  }
  if (call.fault !== undefined) return failed(call.fault);
  const input = completed(call, turn, said);
  const fault = tool.check(input) ?? faultInTurn(call, turn);
  if (fault !== undefined) return failed(`Nothing was done. ${fault}`);
  try {
    const output = await tool.call(turn.tools, input);
    return { text: cutText(textOf(pieceThatFits(output, input, RESULT_LENGTH)), RESULT_LENGTH), output };
  } catch (error) {
    turn.signal.throwIfAborted();
    if (!(error instanceof ToolRefused)) throw error;
    const details = Object.keys(error.details).length > 0 ? ` ${JSON.stringify(error.details)}` : '';
    return failed(cutText(`Refused (${error.code}): ${error.message}${details}`, RESULT_LENGTH));
  }
}

/** The card waits as long as the person does; an open one is the same after a restart. */
async function askPerson({ input, fault }: ModelCall, { turn }: ToolRun): Promise<ToolOutcome> {
  const asked = askedQuestionsSchema.safeParse(input.questions);
  if (fault !== undefined || turn.source.kind !== 'chat')
    return failed(fault ?? 'No person reads here. Decide what is safe, and say so.');
  if (!asked.success) return failed(`No card was shown. ${z.prettifyError(asked.error)}`);
  const { status, answers, reason } = await turn.ask(asked.data);
  turn.signal.throwIfAborted();
  if (status === 'refused') return failed(`No card was shown. ${reason ?? ''}`);
  return { text: JSON.stringify(status === 'answered' ? { status, answers } : { status }) };
}

/** In a conversation the model means that one, and what it has said before is its last word. */
function completed({ tool, input }: ModelCall, { source }: Turn, said: string): Record<string, unknown> {
  if (tool !== 'end_conversation' || source.kind !== 'conversation') return input;
  const isNamed = input.conversation_id !== undefined || input.target_agent_id !== undefined;
  return {
    ...input,
    ...(!isNamed && { conversation_id: source.conversation_id }),
    ...(!input.final_message && said.trim() !== '' && { final_message: said }),
  };
}

/** A message to the one who reads the answer would say everything twice. */
function faultInTurn({ tool, input }: ModelCall, { source }: Turn): string | undefined {
  if (tool !== 'send_message') return undefined;
  const isAnswer =
    source.kind === 'chat'
      ? input.target_agent_id === 'user'
      : input.target_agent_id === source.agent_id || input.conversation_id === source.conversation_id;
  return isAnswer ? 'Write this as the text of your answer: it goes there by itself.' : undefined;
}

/** The id of the conversation that this call has ended; undefined: it has ended none. */
export function endedConversation({ tool }: ModelCall, { output }: ToolOutcome): string | undefined {
  if (tool !== 'end_conversation') return undefined;
  return TOOLS.end_conversation.output.safeParse(output).data?.conversation_id;
}

export function startedConversation({ tool }: ModelCall, { output }: ToolOutcome): string | undefined {
  if (tool !== 'start_conversation') return undefined;
  return TOOLS.start_conversation.output.safeParse(output).data?.conversation_id;
}

/** Without what tells a program which tool to call next: the runner does that. */
function textOf(output: unknown): string {
  return JSON.stringify(output, (key, value: unknown) => (key === 'instruction' ? undefined : value)) ?? '';
}

function failed(text: string): ToolOutcome {
  return { text, isFailed: true };
}

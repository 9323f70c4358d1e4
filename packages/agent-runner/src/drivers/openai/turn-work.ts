import type { SilenceLimits } from '@aizuchi/shared/platform/models/watchdog';
import type { ModelMessage, ToolSet } from 'ai';
import type { Picture, SessionOptions, Turn } from '../../driver.ts';
import { recalledText } from '../recalled.ts';
import type { History } from './history/history.ts';
import type { SourceHistory, TurnRecord } from './history/records.ts';
import { shrink } from './history/shrink.ts';
import { toMessages } from './history/to-messages.ts';
import { estimateTokens } from './history/tokens.ts';
import { instructionsFor } from './instructions.ts';
import type { Endpoint } from './model/endpoint.ts';
import type { Place } from './place.ts';
import { ASK_TOOL, CHAT_TOOLS, type OfferedTool, TASK_TOOLS, toolSetOf } from './tools/offered-tools.ts';
import type { TurnAnswer } from './turn-answer.ts';

export interface Limits {
  readonly silence: SilenceLimits;
  /** How often a model may use tools before it has to answer. */
  readonly steps: number;
  /** How many calls of one reply are carried out; the others are dropped. */
  readonly callsOfReply: number;
  /** How many calls of one turn are carried out before the model has to answer. */
  readonly calls: number;
  /** UTF-16 units of one reply, its thoughts and calls included. */
  readonly replyLength: number;
  /** The pauses before the second and the third try. */
  readonly retryMs: readonly number[];
  /** A server that asks for a longer pause is not waited for: the person is told. */
  readonly longestWaitMs: number;
}

/** What all turns of a session share. */
export interface OpenAiContext {
  readonly endpoint: Endpoint;
  readonly history: History;
  readonly session: SessionOptions;
  readonly limits: Limits;
  /** Empty until the server was asked. */
  place: Place;
  /** False once the model has refused them. */
  hasTools: boolean;
  /** Whether it wants to see again what it thought before it called a tool: some need it, some refuse it. */
  hasReasoning: boolean;
  /** False once the model has refused pictures. */
  seesPictures: boolean;
  /** Resolves when the history would be found after a crash. Never rejects. */
  readonly save: () => Promise<void>;
}

/** One turn and what belongs to it. */
export interface TurnWork {
  readonly turn: Turn;
  readonly context: OpenAiContext;
  readonly source: SourceHistory;
  readonly record: TurnRecord;
  /** What came besides the messages of an earlier process. */
  readonly alsoSaid: string;
  readonly answer: TurnAnswer;
  /** Not kept in the history: what the model says of them is. */
  readonly pictures?: readonly Picture[] | undefined;
}

export interface Prompt {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
  /** About how long it is. */
  readonly tokens: number;
}

/** About what a picture takes of a window. */
const PICTURE_TOKENS = 1_500;
/** Below this there is no room for a conversation at all. */
const MIN_ROOM = 1_000;

/** What a prompt is made of. */
type Asked = Pick<TurnWork, 'context' | 'source' | 'record' | 'pictures'> & {
  readonly turn: Pick<Turn, 'agentId' | 'agentName' | 'source' | 'memory' | 'context' | 'task'>;
};

export function offeredIn({ turn, context }: Asked): readonly OfferedTool[] {
  if (!context.hasTools) return [];
  if (turn.task) return [...TASK_TOOLS, ...CHAT_TOOLS, ASK_TOOL];
  return turn.source.kind === 'chat' ? [...CHAT_TOOLS, ASK_TOOL] : CHAT_TOOLS;
}

/** What the model is asked next, within its window. `note`: the last that it reads. */
export function promptOf(asked: Asked, note?: string): Prompt {
  const { turn, context, source, record } = asked;
  const offered = offeredIn(asked);
  const instructions = instructionsFor({
    agentId: turn.agentId,
    agentName: turn.agentName,
    systemPrompt: context.session.systemPrompt,
    place: context.place,
    source: turn.source,
    purpose: source.purpose,
    hasTools: offered.length > 0,
    today: new Date().toISOString().slice(0, 10),
  });
  // Not part of the history: of an older turn the answer is enough.
  const recalled = recalledText(turn);
  const fixed = estimateTokens(instructions + JSON.stringify(offered));
  shrink(source, record, Math.max(MIN_ROOM, context.history.budget - fixed - estimateTokens(recalled ?? '')));
  const options = { recalled, note, hasReasoning: context.hasReasoning };
  const texts = toMessages(source, record, options);
  const pictures = context.seesPictures ? (asked.pictures ?? []) : [];
  const messages = pictures.length > 0 ? toMessages(source, record, { ...options, pictures }) : texts;
  const tokens = fixed + estimateTokens(JSON.stringify(texts)) + pictures.length * PICTURE_TOKENS;
  return { instructions, messages, tools: toolSetOf(offered), tokens };
}

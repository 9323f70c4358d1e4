import { cutText } from './cut-text.ts';
import {
  type SourceHistory,
  type ToolCallEntry,
  type TurnRecord,
  textOf,
  unansweredCalls,
} from './records.ts';
import { tokensOf } from './tokens.ts';

/** What is left of the arguments and the result of a tool that was used in an earlier turn, in characters. */
const OLD_RESULT = 400;
/** In the turn that goes on, where the model still works with them. */
const FRESH_RESULT = 2_000;
/** Where nothing else helps. */
const MIN_RESULT = 80;
const MIN_TEXT = 400;
const EXCERPTS = 8;
const EXCERPT_LENGTH = 80;

/**
 * Makes the history of a source fit into `room` tokens, the oldest first: arguments and results of tools are shortened,
 * then whole turns are left out, then the turn itself is shortened, what a person has said last of all. What was cut does
 * not come back: the room grows no more. Turns that are open are kept, because their results still have to come.
 */
export function shrink(source: SourceHistory, current: TurnRecord | undefined, room: number): void {
  const isTooLong = () => source.records.reduce((sum, { entries }) => sum + tokensOf(entries), 0) > room;
  for (const record of source.records) {
    if (!isTooLong()) return;
    if (record !== current) shortenTools(record, OLD_RESULT);
  }
  // What the model has written itself is of less use to it than what it was told before.
  if (current && isTooLong()) shortenCalls(current, FRESH_RESULT);
  for (const record of source.records.filter(({ isOpen }) => !isOpen)) {
    if (!isTooLong()) return;
    if (record !== current) leaveOut(source, record);
  }
  if (!current) return;
  for (const most of [FRESH_RESULT, OLD_RESULT, MIN_RESULT]) if (isTooLong()) shortenTools(current, most);
  for (const role of ['assistant', 'user'] as const)
    for (let most = 50_000; isTooLong() && most >= MIN_TEXT; most /= 2) shortenTexts(current, role, most);
}

function leaveOut(source: SourceHistory, record: TurnRecord): void {
  const said = record.entries.filter(({ role }) => role === 'user');
  source.records = source.records.filter((other) => other !== record);
  const excerpts = said.map(({ text }) => cutText(text.replace(/\s+/g, ' '), EXCERPT_LENGTH));
  source.leftOut = {
    messages: source.leftOut.messages + said.length + (textOf(record) === '' ? 0 : 1),
    excerpts: [...source.leftOut.excerpts, ...excerpts].slice(-EXCERPTS),
  };
}

function shortenTools(record: TurnRecord, most: number): void {
  shortenCalls(record, most);
  for (const entry of record.entries) if (entry.role === 'tool') entry.text = cutText(entry.text, most);
}

/** The arguments of calls that have their result, and what the model thought before them. */
function shortenCalls(record: TurnRecord, most: number): void {
  const open = unansweredCalls(record);
  for (const entry of record.entries) {
    if (entry.role !== 'assistant') continue;
    if (entry.reasoning !== undefined) entry.reasoning = cutText(entry.reasoning, most);
    for (const call of entry.calls ?? []) if (!open.includes(call)) call.input = shortInput(call.input, most);
  }
}

/** Short values stay, because they say what the call was about. */
function shortInput(input: ToolCallEntry['input'], most: number): ToolCallEntry['input'] {
  if (JSON.stringify(input).length <= most) return input;
  const each = Math.max(MIN_RESULT, Math.floor(most / 2));
  const short = Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [name, text !== undefined && text.length > each ? cutText(text, each) : value];
    }),
  );
  const json = JSON.stringify(short);
  return json.length <= 2 * most ? short : { cut: cutText(json, most) };
}

function shortenTexts(record: TurnRecord, role: 'assistant' | 'user', most: number): void {
  for (const entry of record.entries) if (entry.role === role) entry.text = cutText(entry.text, most);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const LANGUAGES = ['en', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];
/** far: asked in words of which the evidence holds nearly none. */
export const KINDS = ['single-hop', 'multi-hop', 'temporal', 'contradiction', 'far', 'unanswerable'] as const;
export type Kind = (typeof KINDS)[number];

export interface Turn {
  readonly ref: string;
  readonly threadId: string;
  readonly actor: string;
  readonly text: string;
  readonly createdAt: Date;
}

export interface Question {
  readonly kind: Kind;
  readonly text: string;
  /** The turns that answer it. */
  readonly evidence: readonly string[];
  /** What was said before and is no longer right. */
  readonly outdated: readonly string[];
}

export interface Conversation {
  readonly language: Language;
  readonly turns: readonly Turn[];
  /** The halves: what is tuned on, and what is reported. */
  readonly tuning: readonly Question[];
  readonly reported: readonly Question[];
}

const KIND_OF: Readonly<Record<string, Kind>> = {
  s: 'single-hop',
  m: 'multi-hop',
  t: 'temporal',
  c: 'contradiction',
  x: 'far',
  u: 'unanswerable',
};
/** Turns that have nothing to do with any question, after each so many turns. */
const SMALL_TALK_EVERY = 1;

/**
 * A conversation over a year that was written by hand for this, with its questions: `== time` begins a session,
 * `N#7: …` is a turn that answers questions, `?kind 7 9>5 | …` a question, its evidence, and after `>` what is
 * outdated. Small talk is put between the turns, in the same way each time.
 */
export function readConversation(language: Language): Conversation {
  const lines = linesOf(`conversation.${language}.txt`);
  const smallTalk = linesOf(`small-talk.${language}.txt`);
  const [, ...named] = (lines[0] ?? '').split(' ');
  const names = new Map(named.map((one) => [one[0] ?? '', one.slice(2)]));
  const speakers = [...names.values()];
  const turns: Turn[] = [];
  const questions: Question[] = [];
  let [startedAt, session, said] = [new Date(0), 0, 0];
  const add = (actor: string, text: string, label = '') => {
    const ref = `${language}-${label || `talk-${turns.length}`}`;
    const createdAt = new Date(startedAt.getTime() + turns.length * 1_000);
    turns.push({ ref, threadId: `${language}-session-${session}`, actor, text, createdAt });
  };
  for (const line of lines.slice(1)) {
    const turn = /^(?<who>\w)(?:#(?<label>\d+))?: (?<text>.*)$/.exec(line)?.groups;
    const question = /^\?(?<kind>\w)(?<labels>[^|]*)\|(?<text>.*)$/.exec(line)?.groups;
    if (line.startsWith('== ')) {
      const time = new Date(`${line.slice(3)}:00Z`);
      if (!Number.isNaN(time.getTime())) [startedAt, session] = [time, session + 1];
    } else if (turn !== undefined) {
      add(names.get(turn.who ?? '') ?? '', turn.text ?? '', turn.label);
      said += 1;
      const talk = smallTalk[(said / SMALL_TALK_EVERY - 1) % smallTalk.length];
      if (said % SMALL_TALK_EVERY === 0 && talk !== undefined)
        add(speakers[said % speakers.length] ?? '', talk);
    } else if (question !== undefined) {
      const refs = (text: string) => [...text.matchAll(/\d+/g)].map(([label]) => `${language}-${label}`);
      const [evidence = '', outdated = ''] = (question.labels ?? '').split('>');
      questions.push({
        kind: KIND_OF[question.kind ?? ''] ?? 'single-hop',
        text: (question.text ?? '').trim(),
        evidence: refs(evidence),
        outdated: refs(outdated),
      });
    }
  }
  const half = (rest: number) =>
    KINDS.flatMap((kind) =>
      questions.filter((one) => one.kind === kind).filter((_, index) => index % 2 === rest),
    );
  return { language, turns, tuning: half(0), reported: half(1) };
}

function linesOf(file: string): string[] {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  return text.split('\n').filter((line) => line.trim() !== '');
}

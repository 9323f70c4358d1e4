import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { Message } from '@aizuchi/shared/contract/chat';
import type { Picture, SessionOptions, Turn } from '../../../driver.ts';
import { spoken } from '../../spoken.ts';
import { withFiles } from '../../with-files.ts';

/** What the agent is, and where. */
export function instructionsFor({
  agentName,
  systemPrompt,
}: Pick<SessionOptions, 'agentName' | 'systemPrompt'>): string {
  return [PLACE(agentName), systemPrompt?.trim()].filter(Boolean).join('\n\n');
}

const PLACE = (name: string) => `# Aizuchi
You are ${name || 'an agent'}, an AI agent in Aizuchi, a workplace that people and AI agents share. The working directory belongs to your project.
- A message comes from a person in your chat, unless it is marked as one of another agent. What you write in a turn is your answer to whoever wrote; no tool is needed to answer. Write to people in their language.
- People see your answer while it grows, and each tool that you use. Permissions and questions are shown to them as cards. Ask only what you cannot find out, and never take silence for consent.
- Tools of the server aizuchi: list_tasks is the board (call it before you say anything about progress), list_project_agents lists people and agents. ask_user_question asks the person in your chat. start_conversation begins a conversation with another agent: its answers come as messages later, so end your turn after it. end_conversation ends it as soon as you have what you need. recall searches what was said in earlier chats, and remember stores what will be of use later: recall before you say that you do not know it. Where a result names get_next_action or respond_chat, that is done for you.`;

const AGAIN =
  'You were given what follows before, and your work on it was interrupted. Go on where you stood, and do not repeat what is done.';

export interface PromptOptions {
  /** For an agent that has not been told them. */
  readonly instructions?: string | undefined;
  /** What came before, for a session that has not heard it. */
  readonly context: readonly Message[];
  /** What was found in memory for the messages. */
  readonly memory?: string | undefined;
  /** What happened meanwhile without a turn. */
  readonly notes: readonly string[];
  /** The session continues an earlier one, which may have been given some of the messages. */
  readonly isResumed: boolean;
  /** For an agent that takes them. */
  readonly pictures?: readonly Picture[] | undefined;
}

/** The messages of a turn as blocks of a prompt. A single message of a person stands as it was written. */
export function promptOf(
  { messages, source }: Pick<Turn, 'messages' | 'source'>,
  { instructions, context, memory, notes, isResumed, pictures = [] }: PromptOptions,
): ContentBlock[] {
  const isRepeated = isResumed && messages.some(({ redelivered }) => redelivered);
  const [only] = messages;
  const isCommand = messages.length === 1 && !only?.attachments && only?.content.startsWith('/');
  const texts = [
    ...(instructions === undefined ? [] : [`<instructions>\n${instructions}\n</instructions>`]),
    ...(context.length === 0 ? [] : [`<earlier>\n${context.map(spoken).join('\n\n')}\n</earlier>`]),
    ...notes.map(noteOf),
    ...(isRepeated ? [noteOf(AGAIN)] : []),
    ...(isCommand ? [] : [memory ?? []].flat()),
  ];
  const said =
    source.kind === 'conversation'
      ? `<conversation id="${source.conversation_id}" agent="${source.agent_id}">\n${messages.map(spoken).join('\n\n')}\n</conversation>\nThese are messages of another agent. What you write now is your answer to it.`
      : spokenTogether(messages);
  const seen = pictures.map(({ mediaType: mimeType, data }) => ({ type: 'image' as const, mimeType, data }));
  return [...texts.map((text) => block(`${text}\n\n`)), block(said), ...seen];
}

export function noteOf(note: string): string {
  return `<note>\n${note}\n</note>`;
}

export function block(text: string): ContentBlock {
  return { type: 'text', text };
}

/** A person who writes alone needs no name; several do. */
function spokenTogether(messages: readonly Message[]): string {
  const people = new Set(messages.map(({ humanId, senderId }) => humanId ?? senderId));
  return messages.map(people.size > 1 ? spoken : withFiles).join('\n\n');
}

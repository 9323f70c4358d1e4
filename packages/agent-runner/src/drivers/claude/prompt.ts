import type { Message } from '@aizuchi/shared/contract/chat';
import type { Turn } from '../../driver.ts';
import { spoken } from '../spoken.ts';
import { withFiles } from '../with-files.ts';

/** Appended to the system prompt of Claude Code: where it is, and what the agent is. */
export function systemPromptOf(agentName: string, ownPrompt: string | undefined): string {
  return [PLACE(agentName), ownPrompt?.trim()].filter(Boolean).join('\n\n');
}

const PLACE = (name: string) => `# Aizuchi
You are ${name || 'an agent'}, an AI agent in Aizuchi, a workplace that people and AI agents share. The working directory belongs to your project.
- A message comes from a person in your chat, unless it is marked as one of another agent. What you write in a turn is your answer to whoever wrote; no tool is needed to answer. Write to people in their language.
- People see your answer while it grows, and each tool that you use. Permissions and the questions of AskUserQuestion are shown to them as cards. Ask only what you cannot find out, and never take silence for consent.
- Tools of the server aizuchi: list_tasks is the board (call it before you say anything about progress; get_task, create_task and update_task_status read and change it; propose_subtasks, when a person wants a task split), list_project_agents lists people and agents. start_conversation begins a conversation with another agent: its answers come as messages later, so end your turn after it. end_conversation ends it as soon as you have what you need. recall searches what was said in earlier chats, and remember stores what will be of use later: recall before you say that you do not know it.`;

export interface TurnPrompt {
  readonly text: string;
  /** It may be a command of Claude Code, such as /compact. Everything else is delivered as it is written. */
  readonly isCommand: boolean;
}

/** These commands change nothing but the context; those that change settings of the host are only text. */
const COMMANDS: ReadonlySet<string> = new Set(['compact', 'context', 'cost', 'usage']);

export interface PromptOptions {
  /** What came before, for a session that has not heard it. */
  readonly context: readonly Message[];
  /** What happened meanwhile without a turn. */
  readonly notes: readonly string[];
  /** What was found in memory for these messages. */
  readonly memory?: string | undefined;
  /** The skills and custom commands of the installation. */
  readonly skills: readonly string[];
}

/** One message to Claude Code for some messages of the chat. */
export function promptOf(
  messages: readonly Message[],
  { source }: Pick<Turn, 'source'>,
  { context, notes, memory, skills }: PromptOptions,
): TurnPrompt {
  const [only] = messages;
  const isPlain = messages.length === 1 && context.length === 0 && notes.length === 0;
  if (only && isPlain && !only.attachments && source.kind === 'chat') {
    const command = /^\/([\w:-]+)/.exec(only.content.trim())?.[1];
    const isCommand = command !== undefined && (COMMANDS.has(command) || skills.includes(command));
    if (isCommand || !memory) return { text: only.content, isCommand };
  }
  const text = [
    ...notes.map((note) => `<note>\n${note}\n</note>`),
    context.length > 0 ? `<earlier>\n${context.map(spoken).join('\n\n')}\n</earlier>` : '',
    memory ?? '',
    source.kind === 'conversation'
      ? `<conversation id="${source.conversation_id}" agent="${source.agent_id}">\n${messages.map(spoken).join('\n\n')}\n</conversation>\nThese are messages of another agent. What you write now is your answer to it.`
      : spokenTogether(messages),
  ]
    .filter(Boolean)
    .join('\n\n');
  return { text, isCommand: false };
}

/** A person who writes alone needs no name; several do. */
function spokenTogether(messages: readonly Message[]): string {
  const people = new Set(messages.map(({ humanId, senderId }) => humanId ?? senderId));
  return messages.map(people.size > 1 ? spoken : withFiles).join('\n\n');
}

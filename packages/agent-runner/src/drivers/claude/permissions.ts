import type { CanUseTool, PermissionResult, PermissionUpdate } from '@anthropic-ai/claude-agent-sdk/core';
import { aborted } from '../../aborted.ts';
import type { ApprovalOutcome, ApprovalRequest, Turn } from '../../driver.ts';
import { isPlainEdit } from '../plain-edit.ts';
import { shownPath } from './file-diff.ts';
import { ownTool } from './model-tools.ts';
import { answersFor, cardOf, unanswered } from './question-card.ts';
import { textsFor } from './texts.ts';
import type { ClaudeTexts } from './texts-shape.ts';

type Request = Parameters<CanUseTool>[2];
type Input = Parameters<CanUseTool>[1];

const EDITING_TOOLS: ReadonlySet<string> = new Set(['Edit', 'Write', 'NotebookEdit']);
const NO_TURN = 'Nobody can be asked now. Do without it, and say so.';
const IN_CONVERSATION =
  'You are talking to another agent: no person answers questions here. Ask the other agent in your message, or decide yourself.';

/** Answers what Claude Code asks in the middle of a turn: the questions of the model, and permissions for its tools. */
export class Permissions {
  readonly #cwd: string;
  #turn = Promise.withResolvers<Turn | undefined>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** The turn that is asked from now on. A session that was resumed may have asked before it. */
  begin(turn: Turn | undefined): void {
    this.#turn.resolve(turn);
    this.#turn = Promise.withResolvers();
    this.#turn.resolve(turn);
  }

  /** Until the next turn: what is asked waits for it. */
  end(): void {
    this.#turn = Promise.withResolvers();
  }

  readonly canUseTool: CanUseTool = async (tool, input, request) => {
    // Our server decides what they may do.
    if (ownTool(tool)) return { behavior: 'allow', updatedInput: input };
    const turn = await Promise.race([this.#turn.promise, aborted(request.signal)]);
    if (!turn) return { behavior: 'deny', message: NO_TURN };
    if (tool === 'AskUserQuestion') return askPerson(turn, input);
    const summary = this.#summary(tool, input, request, turn);
    const kind = await this.#kindOf(tool, input);
    const outcome = await turn.approve({ tool, summary, input, kind });
    return permitted(outcome, tool, input, request.suggestions ?? []);
  };

  /**
   * Where edits are accepted, Claude Code asks only about those that it takes for unsafe: the policy of the project must
   * not allow them in the name of a person.
   */
  async #kindOf(tool: string, input: Input): Promise<NonNullable<ApprovalRequest['kind']>> {
    if (tool === 'Bash') return 'command';
    const file = changedFile(tool, input);
    return file !== undefined && (await isPlainEdit([file], this.#cwd)) ? 'edit' : 'other';
  }

  #summary(tool: string, input: Input, { title, description }: Request, turn: Turn): string {
    const { approvals }: ClaudeTexts = textsFor(turn.messages);
    const said = (key: string) => (typeof input[key] === 'string' ? input[key] : '');
    if (tool === 'Bash') return said('description') || approvals.run;
    const file = changedFile(tool, input);
    if (file !== undefined) return approvals.edit(shownPath(file, this.#cwd));
    return title ?? description ?? approvals.use(tool);
  }
}

/** The file that this call of a tool changes. */
function changedFile(tool: string, { file_path, notebook_path }: Input): string | undefined {
  const file = file_path ?? notebook_path;
  return EDITING_TOOLS.has(tool) && typeof file === 'string' && file !== '' ? file : undefined;
}

async function askPerson(turn: Turn, input: Input): Promise<PermissionResult> {
  if (turn.source.kind === 'conversation') return { behavior: 'deny', message: IN_CONVERSATION };
  const questions = cardOf(input);
  if (!questions) return { behavior: 'deny', message: 'The questions are not of the form of the tool.' };
  const outcome = await turn.ask(questions.card);
  const { status, reason } = outcome;
  if (status !== 'answered') return { behavior: 'deny', message: unanswered(status, reason) };
  return { behavior: 'allow', updatedInput: { ...input, answers: answersFor(questions, outcome) } };
}

function permitted(
  { decision, note }: ApprovalOutcome,
  tool: string,
  input: Input,
  suggestions: readonly PermissionUpdate[],
): PermissionResult {
  switch (decision) {
    case 'allow_once':
      return { behavior: 'allow', updatedInput: input };
    case 'allow_session':
      return {
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: forSession(tool, suggestions),
      };
    case 'deny':
      return {
        behavior: 'deny',
        message: note
          ? `The permission was refused, with this note: ${note}`
          : 'The permission was refused. Do without it, or ask what to do instead.',
      };
    case 'timeout':
      return { behavior: 'deny', message: 'Nobody permitted it in time. Do without it, and say so.' };
    case 'cancelled':
      return { behavior: 'deny', message: 'The request for this permission was cancelled.' };
    case 'unavailable':
      return {
        behavior: 'deny',
        message: 'Nobody can be asked for this permission here. Do without it, and say so.',
      };
  }
}

/**
 * Nothing is written to the settings of the host, and no more is allowed than the card says: for a tool the rules for it,
 * for a change of a file all changes of files. The other suggestions open whole folders.
 */
function forSession(tool: string, suggestions: readonly PermissionUpdate[]): PermissionUpdate[] {
  if (EDITING_TOOLS.has(tool)) return [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
  return suggestions.flatMap((update) => {
    if (update.type !== 'addRules') return [];
    const rules = update.rules.filter(({ toolName }) => toolName === tool);
    return rules.length > 0 ? [{ ...update, rules, destination: 'session' as const }] : [];
  });
}

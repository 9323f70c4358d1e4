import type { CanUseTool, HookCallback, PermissionResult } from '@anthropic-ai/claude-agent-sdk/core';
import { aborted } from '../../aborted.ts';
import type { ApprovalRequest, Turn } from '../../driver.ts';
import { isPlainEdit } from '../plain-edit.ts';
import type { SessionGrants } from '../session-grants.ts';
import { scopeOf } from '../session-scope.ts';
import { shownPath } from './file-diff.ts';
import { ownTool } from './model-tools.ts';
import { callsOf, permitted, rulesForSession } from './permission-answer.ts';
import { answersFor, cardOf, unanswered } from './question-card.ts';
import { textsFor } from './texts.ts';
import type { ClaudeTexts } from './texts-shape.ts';

type Request = Parameters<CanUseTool>[2];
type Input = Parameters<CanUseTool>[1];

/** Modes in which Claude Code asks less than in `default`: a subagent of the folder's settings may be in one. */
const ASKING_MODES: ReadonlySet<string> = new Set(['default', 'plan', 'dontAsk']);
const ASK: Awaited<ReturnType<HookCallback>> = {
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' },
};
const EDITING_TOOLS: ReadonlySet<string> = new Set(['Edit', 'Write', 'NotebookEdit']);
const NO_TURN = 'Nobody can be asked now. Do without it, and say so.';
const IN_CONVERSATION =
  'You are talking to another agent: no person answers questions here. Ask the other agent in your message, or decide yourself.';

/** Answers what Claude Code asks in the middle of a turn: the questions of the model, and permissions for its tools. */
export class Permissions {
  readonly #cwd: string;
  readonly #grants: SessionGrants;
  /** For these tools Claude Code remembers rules of its own, and does not ask about what they allow. */
  readonly #ruled = new Set<string>();
  #turn = Promise.withResolvers<Turn | undefined>();

  constructor(cwd: string, grants: SessionGrants) {
    this.#cwd = cwd;
    this.#grants = grants;
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
    const kind = await this.#kindOf(tool, input);
    const same = [tool, whatCounts(tool, input)];
    if (await this.#grants.cover(kind, same)) return { behavior: 'allow', updatedInput: input };
    const summary = this.#summary(tool, input, request, turn);
    const rules = kind === 'edit' ? [] : rulesForSession(tool, request.suggestions);
    const { scope } = textsFor(turn.messages).approvals;
    const sessionScope = scopeOf(kind === 'edit' ? 'edits' : callsOf(rules), scope);
    const outcome = await turn.approve({ tool, summary, input, kind, sessionScope });
    if (outcome.decision === 'allow_session') {
      this.#grants.add(kind, same);
      if (rules.length > 0) this.#ruled.add(tool);
    }
    return permitted(outcome, input, rules);
  };

  /**
   * Before each call of a tool: Claude Code asks also about what it would not ask about by itself. Under `deny` those are
   * all calls of a tool with rules: which of them a rule allows, only Claude Code knows.
   */
  readonly beforeTool: HookCallback = async (hook) => {
    if (hook.hook_event_name !== 'PreToolUse') return {};
    if (!ASKING_MODES.has(hook.permission_mode ?? 'default')) return ASK;
    return this.#ruled.has(hook.tool_name) && (await this.#grants.areSuspended()) ? ASK : {};
  };

  /** The policy of the project must not allow more than plain edits in the name of a person. */
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

/** Of a command not what the model says about it. */
function whatCounts(tool: string, { description, ...input }: Input): Input {
  return tool === 'Bash' ? input : { description, ...input };
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

import type { Step, TurnEvent, Usage } from '../../turn-events.ts';
import { AnswerBlocks } from './answer-blocks.ts';
import type { ApiRetry, ClaudeBlock, ClaudeMessage, ClaudeResult, StreamEvent } from './claude-message.ts';
import { ownTool } from './model-tools.ts';
import { finishedStep, type StepView, startedStep, type ToolUse } from './tool-steps.ts';

type Progress = Exclude<TurnEvent, { type: 'end' }>;
type Message<T extends ClaudeMessage['type']> = Extract<ClaudeMessage, { type: T }>;
type SystemMessage = Message<'system'>;

/** `id`: as the model named it; it need not name the only one that it is in. */
interface ConversationEnd {
  readonly id: unknown;
}

const COMPACTION = 'compaction';

/** Turns what Claude Code reports during one of our turns into our events. */
export class TurnTranslator {
  readonly #view: StepView;
  readonly #answer = new AnswerBlocks();
  readonly #uses = new Map<string, { readonly use: ToolUse; readonly step: Step; readonly inner: number }>();
  #model = '';
  #streaming = '';
  #thoughts = 0;
  #thought: Step | undefined;
  #retry: Step | undefined;
  #compaction: Step | undefined;
  #ended: ConversationEnd | undefined;
  #usage: Usage | undefined;
  #error: { readonly kind: string; readonly text: string } | undefined;

  constructor(view: StepView) {
    this.#view = view;
  }

  /** The last error that the program reported in place of an answer. */
  get error(): { readonly kind: string; readonly text: string } | undefined {
    return this.#error;
  }

  get model(): string {
    return this.#model;
  }

  /** Whether the model has ended this conversation with another agent: nothing more may be written into it. */
  hasEnded(conversationId: string): boolean {
    return this.#ended !== undefined && (this.#ended.id ?? conversationId) === conversationId;
  }

  take(message: ClaudeMessage): Progress[] {
    switch (message.type) {
      case 'stream_event':
        return message.parent_tool_use_id ? [] : this.#stream(message.event);
      case 'assistant':
        return message.parent_tool_use_id ? this.#innerUses(message) : this.#assistant(message);
      case 'user':
        return message.parent_tool_use_id ? [] : this.#user(message);
      case 'system':
        return this.#system(message);
      case 'result':
      case 'command_lifecycle':
      case 'ignored':
        return [];
    }
  }

  /** Of all that was done for this turn so far. */
  usage({ usage }: ClaudeResult, costUsd: number): Extract<Progress, { type: 'usage' }> {
    const before = this.#usage ?? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, costUsd: 0 };
    this.#usage = {
      ...(this.#model !== '' && { model: this.#model }),
      inputTokens: before.inputTokens + usage.input_tokens + usage.cache_creation_input_tokens,
      outputTokens: before.outputTokens + usage.output_tokens,
      cacheReadTokens: (before.cacheReadTokens ?? 0) + usage.cache_read_input_tokens,
      costUsd: (before.costUsd ?? 0) + costUsd,
    };
    return { type: 'usage', usage: this.#usage };
  }

  /** The program has ended in the middle and is started again: what is not whole is begun anew. */
  restart(): Progress[] {
    const { restarted: title } = this.#view.texts.steps;
    return [...this.finish(), stepEvent({ id: 'restart', kind: 'other', title, status: 'done' })];
  }

  /** Nothing more comes of this turn: what is open counts as failed, and a text that is not whole is taken back. */
  finish(): Progress[] {
    const open = [...this.#uses.values()].map(({ step }) => this.#closed(step, 'failed'));
    this.#uses.clear();
    return [...this.#blockEnds(), ...this.#retried('failed'), ...open];
  }

  #stream(event: StreamEvent): Progress[] {
    switch (event.type) {
      case 'message_start':
        this.#streaming = event.message.id;
        if (event.message.model) this.#model = event.message.model;
        return [...this.#beginMessage(event.message.id), ...this.#retried('done')];
      case 'content_block_delta':
        return event.delta.type === 'text_delta' ? this.#answer.piece(event.delta.text) : [];
      case 'content_block_start':
        return [
          ...this.#blockEnds(),
          ...(event.content_block.type === 'thinking' ? this.#thinks('running') : []),
        ];
      case 'content_block_stop':
      case 'message_stop':
        return this.#blockEnds();
      case 'other':
        return [];
    }
  }

  #beginMessage(id: string): Progress[] {
    const ended = this.#blockEnds();
    this.#answer.messageStarts(id);
    return ended;
  }

  #blockEnds(): Progress[] {
    return [...this.#answer.blockEnds(), ...(this.#thought ? this.#thinks('done') : [])];
  }

  #assistant({ message, error }: Message<'assistant'>): Progress[] {
    if (error) {
      const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      this.#error = { kind: error, text };
      return this.#blockEnds();
    }
    const before = message.id === this.#streaming ? [] : this.#beginMessage(message.id);
    this.#streaming = message.id;
    const events = message.content.flatMap((block) => this.#block(block));
    return [...before, ...this.#retried('done'), ...events];
  }

  #block(block: ClaudeBlock): Progress[] {
    switch (block.type) {
      case 'text':
        return this.#answer.whole(block.text);
      case 'thinking':
        return this.#thinks('done', block.thinking);
      case 'tool_use':
        return this.#toolUse(block);
      case 'tool_result':
      case 'other':
        return [];
    }
  }

  /** The model may keep to itself what it thought. */
  #thinks(status: 'running' | 'done', thinking = ''): Progress[] {
    if (!this.#thought) this.#thoughts += 1;
    const { thought: title } = this.#view.texts.steps;
    const step: Step = {
      ...(this.#thought ?? { id: `thought-${this.#thoughts}`, kind: 'thought', title }),
      status,
      ...(thinking.trim() !== '' && { detail: thinking }),
    };
    this.#thought = status === 'running' ? step : undefined;
    return [stepEvent(step)];
  }

  #toolUse(use: ToolUse): Progress[] {
    const step = startedStep(use, this.#view);
    if (!step) return [];
    this.#uses.set(use.id, { use, step, inner: 0 });
    return [stepEvent(step)];
  }

  #user({ message, tool_use_result: output, refused_message_id: refused }: Message<'user'>): Progress[] {
    if (refused) return this.#answer.withdraw(refused);
    return message.content.flatMap((block) => {
      if (block.type !== 'tool_result') return [];
      const open = this.#uses.get(block.tool_use_id);
      if (!open) return [];
      this.#uses.delete(block.tool_use_id);
      if (!block.is_error && ownTool(open.use.name) === 'end_conversation')
        this.#ended = { id: open.use.input.conversation_id };
      return [stepEvent(finishedStep(open.step, open.use, block, output, this.#view))];
    });
  }

  /** Of a subagent only the number of its tool calls is shown. */
  #innerUses({ message, parent_tool_use_id: parent }: Message<'assistant'>): Progress[] {
    const open = parent ? this.#uses.get(parent) : undefined;
    const added = message.content.filter(({ type }) => type === 'tool_use').length;
    if (!parent || !open || added === 0) return [];
    const inner = open.inner + added;
    const step = { ...open.step, detail: this.#view.texts.steps.toolUses(inner) };
    this.#uses.set(parent, { ...open, step, inner });
    return [stepEvent(step)];
  }

  #system(message: SystemMessage): Progress[] {
    const { steps } = this.#view.texts;
    switch (message.subtype) {
      case 'init':
        this.#model = message.model;
        return [];
      case 'api_retry':
        return [...this.#blockEnds(), ...this.#retrying(message)];
      case 'status': {
        const running = {
          id: COMPACTION,
          kind: 'other',
          title: steps.compacting,
          status: 'running',
        } as const;
        if (message.status === 'compacting') return [this.#setCompaction(running)];
        if (message.compact_result === 'failed' && this.#compaction)
          return [this.#setCompaction({ ...running, status: 'failed' })];
        return [];
      }
      case 'compact_boundary': {
        const { pre_tokens: before, post_tokens: after } = message.compact_metadata;
        const title = steps.compacted(before, after);
        return [this.#setCompaction({ id: COMPACTION, kind: 'other', title, status: 'done' })];
      }
      case 'informational':
        return [];
    }
  }

  #setCompaction(step: Step): Progress {
    this.#compaction = step;
    return stepEvent(step);
  }

  #retrying({ attempt, max_retries: most, error, error_status: status }: ApiRetry): Progress[] {
    const { steps, reasons } = this.#view.texts;
    const why = reasonOf(error, status ?? null, reasons);
    this.#retry = {
      id: 'retry',
      kind: 'other',
      title: steps.retry(attempt, most, why),
      status: 'running',
    };
    return [stepEvent(this.#retry)];
  }

  /** The attempt that was waited for has come through, or not. */
  #retried(status: 'done' | 'failed'): Progress[] {
    const retry = this.#retry;
    this.#retry = undefined;
    return retry ? [this.#closed(retry, status)] : [];
  }

  #closed(step: Step, status: 'done' | 'failed'): Progress {
    return stepEvent({ ...step, status });
  }
}

function stepEvent(step: Step): Progress {
  return { type: 'step', step };
}

function reasonOf(error: string, status: number | null, reasons: StepView['texts']['reasons']): string {
  if (error === 'authentication_failed') return reasons.authentication;
  if (error === 'rate_limit') return reasons.rateLimit;
  if (error === 'overloaded') return reasons.overloaded;
  return status === null ? reasons.network : reasons.server;
}

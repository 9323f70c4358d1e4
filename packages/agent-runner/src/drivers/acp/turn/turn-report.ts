import { createHash } from 'node:crypto';
import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { Step, TurnEnd, TurnEvent } from '../../../turn-events.ts';
import { claudeMetaSchema } from '../agent-messages.ts';
import type { KnownAgent } from '../known-agents.ts';
import type { AcpTexts } from '../texts/texts-shape.ts';
import { AnswerGaps } from './answer-gaps.ts';
import { compactionStep, noticeStep, planStep } from './other-steps.ts';
import { ThoughtSteps } from './thought-steps.ts';
import { type Call, type KnownCall, ToolSteps } from './tool-steps.ts';

/** A session lasts for days, and a notice may hold the time. */
const NOTICES_KEPT = 100;

type Chunk = Extract<SessionUpdate, { sessionUpdate: 'agent_message_chunk' }>;

export interface ReportOptions {
  readonly texts: AcpTexts;
  readonly known: KnownAgent;
  readonly cwd: string;
  /** The last that were shown in this session: some agents say them in each turn. */
  readonly notices: Set<string>;
  readonly emit: (event: Exclude<TurnEvent, TurnEnd>) => void;
}

/** Turns what an agent says and does during one of our turns into our events. */
export class TurnReport {
  readonly #options: ReportOptions;
  readonly #answer = new AnswerGaps();
  readonly #thoughts: ThoughtSteps;
  readonly #tools: ToolSteps;
  /** Tools that work now. A model that speaks again waits for none of them. */
  readonly #busy = new Set<string>();
  #noticeCount = 0;
  /** A digest of what was last shown of each step, which may hold whole files. */
  readonly #shown = new Map<string, string>();

  constructor(options: ReportOptions) {
    this.#options = options;
    const { cwd, known, texts } = options;
    this.#thoughts = new ThoughtSteps(texts.steps.thought);
    this.#tools = new ToolSteps({ cwd, known, texts: texts.steps });
  }

  get hasText(): boolean {
    return !this.#answer.isEmpty;
  }

  /** Whether nothing was done or said. */
  get isEmpty(): boolean {
    return this.#answer.isEmpty && this.#shown.size === 0;
  }

  get isToolBusy(): boolean {
    return this.#busy.size > 0;
  }

  take(update: SessionUpdate): void {
    const { steps } = this.#options.texts;
    if (update.sessionUpdate !== 'agent_thought_chunk') this.#show(this.#thoughts.end());
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#chunk(update);
        break;
      case 'agent_thought_chunk':
        this.#busy.clear();
        this.#show(this.#thoughts.add(textIn(update.content)));
        break;
      case 'tool_call':
      case 'tool_call_update':
        this.showCall(this.merge(update));
        break;
      case 'plan':
        this.step(planStep(update, steps));
        break;
      case 'notice':
        this.#notice(update.title, update.description ?? '');
        break;
      case 'compaction_update':
        this.step(compactionStep(update, steps));
        break;
      default:
        // Nothing that belongs to an answer: titles, modes, commands that the agent offers.
        break;
    }
  }

  /** What follows is apart from what was said before. */
  separate(): void {
    this.#answer.separate();
  }

  merge(call: Call): KnownCall {
    return this.#tools.merge(call);
  }

  /** Whether a call is for a tool of our own server. */
  isOwnTool(call: ToolCallUpdate): boolean {
    return this.#tools.ownToolOf(call) !== undefined;
  }

  showCall(call: KnownCall): void {
    for (const step of this.#tools.stepsOf(call)) {
      if (step.status === 'running') this.#busy.add(step.id);
      else this.#busy.delete(step.id);
      this.step(step);
    }
  }

  step(step: Step): void {
    this.#answer.separate();
    // Agents repeat what has not changed.
    const said = createHash('sha256').update(JSON.stringify(step)).digest('base64');
    if (this.#shown.get(step.id) === said) return;
    this.#shown.set(step.id, said);
    this.#options.emit({ type: 'step', step });
  }

  text(piece: string, messageId?: string | null): void {
    if (piece === '') return;
    this.#busy.clear();
    this.#options.emit({ type: 'text', text: this.#answer.add(piece, messageId) });
  }

  /** Nothing more comes of this turn. */
  close(status: 'done' | 'failed'): void {
    this.#show(this.#thoughts.end());
    for (const step of this.#tools.close(status)) this.step(step);
  }

  #chunk({ content, messageId, _meta }: Chunk): void {
    const text = content.type === 'resource_link' ? `[${content.name}](${content.uri})` : textIn(content);
    const isMarked = claudeMetaSchema.safeParse(_meta).data?.claudeCode.kind === 'informational';
    const { ignored, notice } = this.#options.known;
    if (ignored?.test(text)) return;
    if (isMarked || notice?.test(text)) this.#notice(text, '');
    else this.text(text, messageId);
  }

  #notice(said: string, description: string): void {
    const { notices } = this.#options;
    if (notices.has(said)) return;
    notices.add(said);
    const [oldest] = notices;
    if (notices.size > NOTICES_KEPT && oldest !== undefined) notices.delete(oldest);
    this.#noticeCount += 1;
    this.step(noticeStep(said, description, this.#noticeCount));
  }

  #show(step: Step | undefined): void {
    if (step) this.step(step);
  }
}

function textIn(content: Chunk['content']): string {
  return content.type === 'text' ? content.text : '';
}

import type {
  ContentBlock,
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { aborted } from '../../../aborted.ts';
import type { ApprovalOutcome, Turn } from '../../../driver.ts';
import type { TurnEnd, TurnEvent } from '../../../turn-events.ts';
import type { SessionGrants } from '../../session-grants.ts';
import type { PromptEnd } from '../agent-messages.ts';
import { failedEnd } from '../failures.ts';
import type { TurnRequests } from '../process/requests.ts';
import type { AcpHost, AgentConnection } from '../session/agent-connection.ts';
import { block, noteOf } from '../session/prompt.ts';
import type { AcpTexts } from '../texts/texts-shape.ts';
import { fillIn } from './elicitation.ts';
import { formOf } from './elicitation-form.ts';
import { approvalOf, responseFor, sameRequest } from './permissions.ts';
import { INTERRUPTED, turnEndOf } from './turn-end.ts';
import { TurnReport } from './turn-report.ts';
import { TurnSilence } from './turn-silence.ts';
import { TurnUsage } from './turn-usage.ts';

const UNASKED_STEP = 'may-not-ask';

type Progress = Exclude<TurnEvent, TurnEnd>;

/** Whom a turn may ask. `hasPerson`: whether a person reads at all. */
export type Asker = Pick<Turn, 'signal' | 'ask' | 'approve'> & { readonly hasPerson: boolean };

export interface AcpTurnOptions {
  readonly connection: AgentConnection;
  readonly host: Pick<AcpHost, 'cwd' | 'limits'>;
  readonly asker: Asker;
  readonly texts: AcpTexts;
  readonly grants: SessionGrants;
  readonly notices: Set<string>;
  /** Of the session, before this turn. */
  readonly costBefore: number | undefined;
}

/** One prompt to an agent, and all that it reports and asks until it ends its turn. */
export class AcpTurn implements TurnRequests {
  readonly #options: AcpTurnOptions;
  readonly #emit: (event: Progress) => void;
  readonly #report: TurnReport;
  readonly #silence: TurnSilence;
  readonly #usage: TurnUsage;
  #isRefused = false;
  /** What people wrote to refusals: the protocol has no place for it. */
  #notes: string[] = [];

  constructor(options: AcpTurnOptions, emit: (event: Progress) => void) {
    this.#options = options;
    this.#emit = emit;
    const { connection, costBefore: costUsd, host, notices, texts } = options;
    const { known, model } = connection;
    this.#report = new TurnReport({ texts, known, cwd: host.cwd, notices, emit });
    this.#usage = new TurnUsage({ model, costUsd });
    const { limits } = host;
    this.#silence = new TurnSilence({ connection, limits, report: this.#report, texts: texts.steps });
  }

  get sessionCostUsd(): number | undefined {
    return this.#usage.sessionCostUsd;
  }

  /** Never rejects. */
  async run(blocks: ContentBlock[]): Promise<TurnEnd> {
    const { connection, asker, texts } = this.#options;
    const { signal } = asker;
    const cancel = () => void connection.cancel();
    if (signal.aborted) return INTERRUPTED;
    signal.addEventListener('abort', cancel, { once: true });
    connection.begin(this);
    this.#sayIfUnasked();
    let end: TurnEnd;
    try {
      end = await this.#prompt(blocks);
    } catch (error) {
      end = signal.aborted ? INTERRUPTED : failedEnd(error, texts);
    } finally {
      signal.removeEventListener('abort', cancel);
      connection.end(this);
      this.#silence.stop();
    }
    this.#report.close(end.reason === 'done' ? 'done' : 'failed');
    return end;
  }

  update(update: SessionUpdate): void {
    this.#silence.heard();
    if (update.sessionUpdate === 'usage_update') this.#usage.learn(update);
    else this.#report.take(update);
    this.#silence.toolIsBusy(this.#report.isToolBusy);
  }

  async permission(
    { toolCall, options }: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    this.#silence.heard();
    // Some agents announce a tool only by the question for it.
    const known = this.#report.merge(toolCall);
    this.#report.showCall(known);
    const release = this.#silence.hold();
    try {
      const { decision, note } = await this.#decide(known.call, signal);
      const isAllowed = decision === 'allow_once' || decision === 'allow_session';
      if (!isAllowed) this.#refused(known.call, note);
      return responseFor({ decision }, options);
    } finally {
      release();
      this.#silence.toolIsBusy(this.#report.isToolBusy);
    }
  }

  async elicitation(
    request: CreateElicitationRequest,
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse> {
    this.#silence.heard();
    const { asker, texts } = this.#options;
    const form = formOf(request);
    if (!form || !asker.hasPerson) return { action: 'decline' };
    const release = this.#silence.hold();
    const gone = aborted(AbortSignal.any([signal, asker.signal]));
    try {
      const filledIn = fillIn(form, (questions) => asker.ask(questions), texts.form);
      return (await Promise.race([filledIn, gone])) ?? { action: 'cancel' };
    } finally {
      release();
    }
  }

  /** Once in a session: the policy of the project holds as far as the program asks. */
  #sayIfUnasked(): void {
    const { asker, connection, notices, texts } = this.#options;
    const { known, unknownModes } = connection;
    if (!unknownModes || !asker.hasPerson || notices.has(UNASKED_STEP)) return;
    notices.add(UNASKED_STEP);
    const title = texts.steps.mayNotAsk(known.title, unknownModes);
    this.#emit({ type: 'step', step: { id: UNASKED_STEP, kind: 'other', title, status: 'done' } });
  }

  async #prompt(blocks: ContentBlock[]): Promise<TurnEnd> {
    let next = blocks;
    for (;;) {
      const end = await Promise.race([this.#options.connection.prompt(next), this.#silence.over]);
      const usage = this.#usage.add(end);
      if (usage) this.#emit({ type: 'usage', usage });
      const notes = this.#notes.splice(0);
      if (notes.length === 0 || !this.#goesOn(end)) return this.#endOf(end);
      // What a person wrote to a refusal is said at once: it says what to do instead.
      next = notes.map((note) => block(noteOf(note)));
      this.#report.separate();
    }
  }

  #goesOn({ stopReason }: PromptEnd): boolean {
    const isEnded = stopReason === 'end_turn' || stopReason === 'cancelled';
    return isEnded && !this.#silence.isOver && !this.#options.asker.signal.aborted;
  }

  #endOf({ stopReason }: PromptEnd): TurnEnd {
    const { asker, texts } = this.#options;
    if (asker.signal.aborted) return INTERRUPTED;
    if (this.#silence.isOver) return failedEnd(this.#silence.failure, texts);
    const isRefused = this.#isRefused;
    if (isRefused && stopReason === 'cancelled' && !this.#report.hasText)
      this.#report.text(texts.endedAfterRefusal);
    return turnEndOf(stopReason, { isRefused, isEmpty: this.#report.isEmpty }, texts);
  }

  async #decide(call: RequestPermissionRequest['toolCall'], signal: AbortSignal): Promise<ApprovalOutcome> {
    const { asker, grants, host, texts } = this.#options;
    // Our server decides itself what this agent may do there.
    if (this.#report.isOwnTool(call)) return { decision: 'allow_once' };
    const request = await approvalOf(call, host.cwd, texts);
    const same = sameRequest(call);
    const gone = aborted(AbortSignal.any([signal, asker.signal]));
    if (await Promise.race([grants.cover(request.kind, same), gone])) return { decision: 'allow_once' };
    const outcome = (await Promise.race([asker.approve(request), gone])) ?? { decision: 'cancelled' };
    if (outcome.decision === 'allow_session') grants.add(request.kind, same);
    return outcome;
  }

  #refused({ toolCallId, title }: RequestPermissionRequest['toolCall'], note: string | undefined): void {
    this.#isRefused = true;
    if (note) this.#notes.push(`The person refused "${title ?? ''}" and wrote: ${note}`);
    // Of a refused tool some agents report nothing more.
    this.#report.showCall(this.#report.merge({ toolCallId, status: 'failed' }));
  }
}

/** What a driver reports while it works on a turn, in this order of time. The last event is `end`. */
export type TurnEvent =
  /** The next piece of the answer. The pieces in their order are the answer. */
  | { readonly type: 'text'; readonly text: string }
  /**
   * The answer is cut back to its first `length` UTF-16 units: what followed is void, for example because the stream of
   * the model broke and began anew.
   */
  | { readonly type: 'truncate'; readonly length: number }
  | { readonly type: 'step'; readonly step: Step }
  /** What the turn has cost so far. The last one counts. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | TurnEnd;

/** One thing that the agent does on the way to its answer. The same id again updates it. */
export interface Step {
  readonly id: string;
  readonly kind: 'thought' | 'tool' | 'command' | 'read' | 'edit' | 'search' | 'other';
  readonly title: string;
  readonly status: 'running' | 'done' | 'failed';
  readonly detail?: string;
  readonly diff?: { readonly path: string; readonly before: string; readonly after: string };
}

export interface Usage {
  readonly model?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly costUsd?: number;
}

export type TurnEnd =
  | {
      readonly type: 'end';
      readonly reason: 'done';
      /** The driver has answered the messages by tools of the session. The runner hands in nothing. */
      readonly answered?: true;
    }
  /** The turn ended because its signal was aborted. */
  | { readonly type: 'end'; readonly reason: 'interrupted' }
  | {
      readonly type: 'end';
      readonly reason: 'failed';
      /** For the log of the run. */
      readonly error: string;
      /** For the person: what happened and what to do. Without it the runner writes a general sentence. */
      readonly sentence?: string;
      /** The text is an answer, which only ends too early: the sentence follows it. Without a text it is a failure. */
      readonly isCut?: boolean;
    };

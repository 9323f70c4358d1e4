import type { ScopeTexts } from '../../session-scope.ts';

/** What the driver says to people, in one language. Quotations of the program stand as they came. */
export interface AcpTexts {
  readonly steps: {
    readonly thought: string;
    readonly plan: string;
    readonly compacting: string;
    readonly compacted: string;
    readonly quiet: (seconds: number) => string;
    /** `modes`: what the program offers, by its own names. */
    readonly mayNotAsk: (program: string, modes: readonly string[]) => string;
    readonly unknownTool: string;
    /** Tools of our own server, by their names. */
    readonly own: Readonly<Record<string, string>>;
  };
  readonly form: {
    readonly header: string;
    readonly yes: string;
    readonly no: string;
    readonly leaveEmpty: string;
    readonly decline: string;
    /** The card has room for four. */
    readonly moreChoices: (labels: readonly string[]) => string;
  };
  readonly failures: {
    readonly noFolder: (folder: string) => string;
    readonly missing: (program: string) => string;
    readonly notExecutable: (program: string) => string;
    readonly endedAtStart: (program: string, how: string, said: string) => string;
    readonly died: (program: string, how: string, said: string) => string;
    readonly neverAnswered: (program: string, seconds: number) => string;
    readonly rubbish: (program: string) => string;
    readonly notTheProtocol: (program: string, what: string) => string;
    readonly wrongVersion: (program: string, version: number, ours: number) => string;
    /** `command`: what a person runs to sign in; `variable`: what holds a key instead. */
    readonly signIn: (program: string, command: string, variable: string | undefined) => string;
    /** It is signed in, but its model did not accept that: it has expired, or the key is wrong. */
    readonly signInRefused: (
      program: string,
      message: string,
      command: string,
      variable: string | undefined,
    ) => string;
    readonly unknownModel: (model: string, models: readonly string[]) => string;
    readonly noChoiceOfModel: (program: string, model: string) => string;
    readonly reported: (program: string, message: string) => string;
    readonly silent: (seconds: number) => string;
    readonly refusal: string;
    readonly maxTokens: string;
    readonly maxRequests: string;
    readonly gaveUp: string;
    readonly noAnswer: string;
  };
  readonly scope: ScopeTexts;
  /** The agent ended its turn without a word because something was refused. */
  readonly endedAfterRefusal: string;
}

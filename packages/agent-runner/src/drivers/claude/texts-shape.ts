import type { ScopeTexts } from '../session-scope.ts';

/** What the person reads of an agent that runs Claude Code; complete in each language by this type. */
export interface ClaudeTexts {
  readonly steps: {
    readonly thought: string;
    readonly read: (file: string) => string;
    readonly edited: (file: string) => string;
    readonly created: (file: string) => string;
    readonly ran: (command: string) => string;
    readonly searched: (what: string) => string;
    readonly fetched: (address: string) => string;
    readonly delegated: (what: string) => string;
    readonly skill: (name: string) => string;
    /** The tools of Aizuchi, by their name. */
    readonly own: Readonly<Record<string, string>>;
    readonly retry: (attempt: number, most: number, why: string) => string;
    readonly compacting: string;
    readonly compacted: (before: number, after: number | undefined) => string;
    readonly restarted: string;
    /** How many tools a subagent has used. */
    readonly toolUses: (count: number) => string;
  };
  /** Why the model did not answer, for a step. */
  readonly reasons: {
    readonly authentication: string;
    readonly rateLimit: string;
    readonly overloaded: string;
    readonly server: string;
    readonly network: string;
  };
  /** One sentence each: what happened, and what to do. */
  readonly failures: {
    readonly notSignedIn: string;
    readonly keyRefused: string;
    readonly modelNotFound: (model: string) => string;
    readonly rateLimit: (why: string) => string;
    readonly overloaded: string;
    readonly server: (status: number) => string;
    readonly network: string;
    readonly tooLong: string;
    readonly credit: string;
    readonly refused: (why: string) => string;
    readonly other: (why: string) => string;
    readonly died: (why: string) => string;
    readonly noFolder: (folder: string) => string;
    readonly missing: (path: string) => string;
    readonly notExecutable: (path: string) => string;
    readonly unusable: (path: string, why: string) => string;
    /** As a reason. */
    readonly noAnswer: string;
    readonly silent: (path: string, seconds: number) => string;
  };
  readonly approvals: {
    readonly run: string;
    readonly edit: (file: string) => string;
    readonly scope: ScopeTexts;
    readonly use: (tool: string) => string;
  };
}

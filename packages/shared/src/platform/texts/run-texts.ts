import type { Reason } from '../../contract/reason.ts';
import type { Run } from '../../contract/run.ts';
import type { Locale } from './locale.ts';
import { saidReason } from './reason-texts.ts';

type ExitCause = NonNullable<Run['exitCause']>;

/** The facts from which the text of a run's end is made. */
export interface RunEnd {
  readonly exitCause?: ExitCause | null | undefined;
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
  readonly stopReason?: string | null | undefined;
  /** The text of the Coordinator, when it knows more than code and signal say; it includes what to do. */
  readonly error?: string | null | undefined;
  /** The same for each reader; null: the text says no more than code and signal do. */
  readonly reason?: Reason | null | undefined;
}

/** How a run ended, and what a person can do about it; nothing to do where there is no error. */
export interface RunEndText {
  readonly what: string;
  readonly remedy?: string;
}

interface Catalog {
  readonly finished: RunEndText;
  readonly exited: (code: number) => RunEndText;
  readonly exitedQuietly: RunEndText;
  readonly signalled: (signal: string) => RunEndText;
  readonly outOfMemory: RunEndText;
  readonly stalled: RunEndText;
  readonly lost: RunEndText;
  readonly couldNotStart: RunEndText;
  readonly stopped: RunEndText;
  readonly stoppedFor: Readonly<Record<string, RunEndText>>;
}

const ja: Catalog = {
  finished: { what: 'プロセスは正常に終わりました。' },
  exited: (code) => ({
    what: `プロセスは応答の前に終了コード ${code} で終わりました。`,
    remedy: '実行ログの最後の行を確認し、原因を直してから再試行してください。',
  }),
  exitedQuietly: {
    what: '仕事が残っているのに、プロセスは自分で終わりました（終了コード 0）。',
    remedy:
      'エージェントのプログラムは、終わる前に待っているものを読んで応答してください。常駐（resident）なら exit か logout を受け取るまで get_next_action を呼び続け、仕事ごと（per_work）なら get_pending_messages と respond_chat を呼び出してから終わります。',
  },
  signalled: (signal) => ({
    what: `プロセスはシグナル ${signal} で終わりました。`,
    remedy: '実行ログを確認してから再試行してください。',
  }),
  outOfMemory: {
    what: 'プロセスはホストによって強制終了されました（SIGKILL）。',
    remedy: 'ホストのメモリが足りているか確認してから再試行してください。',
  },
  stalled: {
    what: 'プロセスが応答しなくなったか、1 回の応答の制限時間を超えたため、終了させました。',
    remedy:
      '実行ログを確認してください。仕事が長いだけなら、設定の TURN_TIMEOUT_SECONDS を延ばしてください。',
  },
  lost: {
    what: 'このプロセスを見ていた Coordinator と連絡が取れなくなりました。',
    remedy:
      '待っていた仕事は、別の Coordinator か戻ってきた Coordinator に渡されます。続くようなら、そのホストを確認してください。',
  },
  couldNotStart: {
    what: 'プロセスを起動できませんでした。',
    remedy: 'エージェントの設定と Coordinator のホストを確認してください。',
  },
  stopped: { what: 'Coordinator が停止したため、プロセスも終了させました。' },
  stoppedFor: {
    stopped_by_person: { what: '人が停止しました。' },
    force_ended: { what: '人がチャットを強制終了しました。' },
    user_closed_chat: { what: 'チャットが閉じられました。' },
    session_silent: { what: 'メッセージが待っているのに長い間呼び出しがなかったため、終了させました。' },
    session_timeout: { what: 'しばらく使われなかったため、終了させました。' },
    timeout: {
      what: '制限時間内にサインインしなかったため、終了させました。',
      remedy: '実行ログとエージェントのパスキーを確認してから再試行してください。',
    },
    superseded: { what: '同じエージェントが別にサインインしたため、不要になりました。' },
    replaced: { what: '同じエージェントの別のサインインと入れ替わりました。' },
    evicted: { what: '待っている別のエージェントに場所を譲りました。' },
    new_context: { what: '新しいコンテキストで始めるために終了しました。' },
    agent_deleted: { what: 'エージェントが削除されました。' },
    project_archived: { what: 'プロジェクトがアーカイブされました。' },
    removed_from_project: { what: 'エージェントがプロジェクトから外されました。' },
    server_stopping: { what: 'サーバーが停止しました。' },
    project_paused: { what: 'プロジェクトが一時停止されました。' },
    task_done: { what: 'タスクが完了しました。' },
    task_blocked: { what: 'タスクがブロックされました。' },
    task_cancelled: { what: 'タスクがキャンセルまたは削除されました。' },
    task_reassigned: { what: 'タスクがこのエージェントの仕事ではなくなりました。' },
  },
};

const en: Catalog = {
  finished: { what: 'The process ended as it should.' },
  exited: (code) => ({
    what: `The process ended with exit code ${code} before its work was done.`,
    remedy: 'Look at the last lines of its log, mend the cause, then retry.',
  }),
  exitedQuietly: {
    what: 'The process ended by itself (exit code 0) although work was waiting.',
    remedy:
      'The agent’s program should read and answer what waits before it ends: with mode resident it calls get_next_action until it hears exit or logout, with per_work it calls get_pending_messages and respond_chat and then ends.',
  },
  signalled: (signal) => ({
    what: `The process ended by signal ${signal}.`,
    remedy: 'Look at its log, then retry.',
  }),
  outOfMemory: {
    what: 'The process was killed by its host (SIGKILL).',
    remedy: 'Check that the host has enough memory, then retry.',
  },
  stalled: {
    what: 'The process showed no sign of life, or its turn took longer than allowed, so it was ended.',
    remedy: 'Look at its log. If the work is only long, raise TURN_TIMEOUT_SECONDS in the settings.',
  },
  lost: {
    what: 'The Coordinator that watched this process was not heard any more.',
    remedy:
      'What waited is given to another Coordinator, or to this one when it is back. If it happens again, look at its host.',
  },
  couldNotStart: {
    what: 'The process could not be started.',
    remedy: 'Check the agent’s settings and the host of the Coordinator.',
  },
  stopped: { what: 'The Coordinator was stopped, and the process with it.' },
  stoppedFor: {
    stopped_by_person: { what: 'A person stopped it.' },
    force_ended: { what: 'A person ended the chat at once.' },
    user_closed_chat: { what: 'The chat was closed.' },
    session_silent: { what: 'It made no call for a long time while a message waited, so it was ended.' },
    session_timeout: { what: 'Nothing was to be done for a while, so it was ended.' },
    timeout: {
      what: 'It did not sign in within its time, so it was ended.',
      remedy: 'Look at its log and at the agent’s passkey, then retry.',
    },
    superseded: { what: 'The agent signed in elsewhere, so this process was not needed.' },
    replaced: { what: 'Another sign-in of the agent took its place.' },
    evicted: { what: 'It made room for another agent that was waiting.' },
    new_context: { what: 'It ended for a fresh context.' },
    agent_deleted: { what: 'The agent was deleted.' },
    project_archived: { what: 'The project was archived.' },
    removed_from_project: { what: 'The agent was removed from the project.' },
    server_stopping: { what: 'The server was stopped.' },
    project_paused: { what: 'The project was paused.' },
    task_done: { what: 'The task is done.' },
    task_blocked: { what: 'The task was blocked.' },
    task_cancelled: { what: 'The task was cancelled or deleted.' },
    task_reassigned: { what: 'The task is not the work of this agent any more.' },
  },
};

const CATALOGS: Readonly<Record<Locale, Catalog>> = { ja, en };

/** Null while it runs. */
export function runEndText(locale: Locale, end: RunEnd): RunEndText | null {
  const texts = CATALOGS[locale];
  switch (end.exitCause ?? null) {
    case null:
      return null;
    case 'finished':
      return texts.stoppedFor[end.stopReason ?? ''] ?? texts.finished;
    case 'stalled':
      return texts.stalled;
    case 'lost':
      return ownText(locale, end) ?? texts.lost;
    case 'could_not_start':
      return ownText(locale, end) ?? texts.couldNotStart;
    case 'killed':
      return texts.stoppedFor[end.stopReason ?? ''] ?? texts.stopped;
    case 'crashed':
      return ownText(locale, end) ?? crashText(texts, end);
    default:
      return null;
  }
}

/** In one line the error of a run and what to do; null when there was none. */
export function runError(locale: Locale, end: RunEnd): string | null {
  const text = runEndText(locale, end);
  if (text === null || end.exitCause === 'finished') return null;
  if (end.exitCause === 'killed' && text.remedy === undefined) return null;
  return [text.what, text.remedy].filter((part) => part !== undefined).join(' ');
}

/** What the Coordinator has said of it. */
function ownText(locale: Locale, { error, reason }: RunEnd): RunEndText | undefined {
  return error && reason !== null ? { what: saidReason(locale, error, reason) } : undefined;
}

function crashText(texts: Catalog, { exitCode, signal }: RunEnd): RunEndText {
  if (signal) return signal === 'SIGKILL' ? texts.outOfMemory : texts.signalled(signal);
  return exitCode ? texts.exited(exitCode) : texts.exitedQuietly;
}

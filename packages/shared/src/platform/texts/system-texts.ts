import type { TextParams } from '../../contract/chat.ts';
import type { Reason } from '../../contract/reason.ts';
import { isolated } from './isolated.ts';
import type { Locale } from './locale.ts';
import { reasonText } from './reason-texts.ts';

/**
 * The system messages in a chat. Stored as text in AIZUCHI_LOCALE, with code and parameters, so that a page
 * can show them in its reader's language.
 */
export const SYSTEM_TEXT_CODES = [
  'session_started',
  'timeout_not_picked_up',
  'timeout_no_credential',
  'timeout_sign_in_refused',
  'timeout_no_sign_in',
  'timeout_exited',
  'could_not_start',
  'agent_error',
  'agent_crashed',
  'agent_gave_up',
  'agent_never_signed_in',
  'agent_left_unanswered',
  'usage_limit',
  'turn_failed',
  'schedule_overlap',
  'schedule_maker_deleted',
  'schedule_maker_not_member',
  'schedule_maker_may_not_write',
] as const;
export type SystemTextCode = (typeof SYSTEM_TEXT_CODES)[number];

const ERROR_PARAM = 'error.';

type Catalog = Record<SystemTextCode, string>;

const ja: Catalog = {
  session_started: 'セッション開始',
  timeout_not_picked_up:
    'エージェントの起動がタイムアウトしました（{elapsed}）。起動を引き受ける Coordinator がありませんでした。Coordinator が動いているか確認してから、再試行してください。',
  timeout_no_credential:
    'エージェントの起動がタイムアウトしました（{elapsed}）。このエージェントには認証情報がありません。パスキーを発行してから、再試行してください。',
  timeout_sign_in_refused:
    'エージェントの起動がタイムアウトしました（{elapsed}）。プロセスは起動しましたが、サインインが拒否されました。パスキーを確認してから、再試行してください。',
  timeout_no_sign_in:
    'エージェントの起動がタイムアウトしました（{elapsed}）。プロセスは起動しましたが、サインインしませんでした。実行ログを確認してから、再試行してください。',
  timeout_exited:
    'エージェントのプロセスがサインインの前に終了コード {exitCode} で終わり、起動がタイムアウトしました（{elapsed}）: {lastLine}',
  could_not_start: 'エージェントを起動できませんでした: {error}',
  agent_error: 'エージェントの実行中に問題が起きました: {error}',
  agent_crashed: 'エージェントが応答の前に終了しました（{cause}）。{lastLine}',
  agent_gave_up:
    'エージェントが続けて {count} 回、応答の前に終了したため、再起動を止めました。実行ログを確認してから、再試行してください。{lastLine}',
  agent_never_signed_in:
    'エージェントのプログラムが続けて {count} 回、サインインせずに終わりました（最後は終了コード 0）。再起動を止めました。プログラムが MCP サーバー（AIZUCHI_MCP_URL）につながり、authenticate を呼び出すか、実行ログで確認してください（claude -p では、最初の行の mcp_servers）。直したら、再試行してください。{lastLine}',
  agent_left_unanswered:
    'エージェントのプログラムが続けて {count} 回、待っているメッセージに応答せずに終わりました（最後は終了コード 0）。再起動を止めました。終わる前に get_pending_messages で読み、respond_chat で応答するか、実行ログで確認してください。直したら、再試行してください。{lastLine}',
  usage_limit:
    'このエージェントは、1 日のトークン上限（{limit}）に達しました。{until}（{timeZone}）まで起動せず、メッセージも届けません。すぐに続けるには、エージェントのページで上限を上げてから、再試行してください。',
  turn_failed: '{reason}',
  schedule_overlap:
    '前回のスケジュールの依頼がまだ終わっていないため、今回（{cron}）は見送りました。終わるまで、次の回も見送られます。',
  schedule_maker_deleted:
    'スケジュール（{cron}）をオフにしました。実行者の {person} さんが削除されたためです。続けるには、スケジュールのページでオンにしてください。オンにした人の名前で実行されます。',
  schedule_maker_not_member:
    'スケジュール（{cron}）をオフにしました。実行者の {person} さんがこのプロジェクトのメンバーではなくなったためです。続けるには、スケジュールのページでオンにしてください。オンにした人の名前で実行されます。',
  schedule_maker_may_not_write:
    'スケジュール（{cron}）をオフにしました。実行者の {person} さんが閲覧者になったためです。続けるには、スケジュールのページでオンにしてください。オンにした人の名前で実行されます。',
};

const en: Catalog = {
  session_started: 'Session started',
  timeout_not_picked_up:
    'Starting the agent timed out ({elapsed}). No Coordinator picked it up. Check that a Coordinator is running, then retry.',
  timeout_no_credential:
    'Starting the agent timed out ({elapsed}). This agent has no credential. Make a passkey for it, then retry.',
  timeout_sign_in_refused:
    'Starting the agent timed out ({elapsed}). Its process started, but the sign-in was refused. Check its passkey, then retry.',
  timeout_no_sign_in:
    'Starting the agent timed out ({elapsed}). Its process started, but never signed in. Look at the run log, then retry.',
  timeout_exited:
    'The process of the agent ended with exit code {exitCode} before it signed in, so its start timed out ({elapsed}): {lastLine}',
  could_not_start: 'The agent could not be started: {error}',
  agent_error: 'Something went wrong around the agent: {error}',
  agent_crashed: 'The agent ended before it answered ({cause}). {lastLine}',
  agent_gave_up:
    'The agent ended {count} times in a row before it answered, so it is not started again. Look at the run log, then retry. {lastLine}',
  agent_never_signed_in:
    'The program of the agent ended {count} times in a row without signing in (the last time with exit code 0), so it is not started again. Check in its run log that it reaches the MCP server (AIZUCHI_MCP_URL) and calls authenticate; for claude -p, look at mcp_servers in the first line. Then retry. {lastLine}',
  agent_left_unanswered:
    'The program of the agent ended {count} times in a row without answering what waits (the last time with exit code 0), so it is not started again. Check in its run log that it reads with get_pending_messages and answers with respond_chat before it ends. Then retry. {lastLine}',
  usage_limit:
    'The agent has used its tokens of the day (limit {limit}). Until {until} ({timeZone}) it is not started and is given no messages. To go on now, raise the limit on the page of the agent, then retry.',
  turn_failed: '{reason}',
  schedule_overlap:
    'The last prompt of the schedule ({cron}) is not done yet, so this time was skipped. Until it is done, the next ones are skipped too.',
  schedule_maker_deleted:
    'The schedule ({cron}) was switched off: {person}, in whose name it ran, has been deleted. To go on, switch it on at the schedules page; it then runs in the name of whoever does so.',
  schedule_maker_not_member:
    'The schedule ({cron}) was switched off: {person}, in whose name it ran, is no member of this project any more. To go on, switch it on at the schedules page; it then runs in the name of whoever does so.',
  schedule_maker_may_not_write:
    'The schedule ({cron}) was switched off: {person}, in whose name it ran, may only read now. To go on, switch it on at the schedules page; it then runs in the name of whoever does so.',
};

const CATALOGS: Record<Locale, Catalog> = { ja, en };

export function systemText(locale: Locale, code: SystemTextCode, params: TextParams = {}): string {
  const { seconds, limit } = params;
  const error = errorText(locale, params);
  const values: TextParams = {
    ...params,
    ...(error !== undefined && { error }),
    ...(typeof seconds === 'number' && { elapsed: elapsedText(locale, seconds) }),
    ...(typeof limit === 'number' && { limit: limit.toLocaleString(locale) }),
  };
  return CATALOGS[locale][code]
    .replace(/\{(\w+)\}/g, (_, name: string) => isolated(String(values[name] ?? '')))
    .trim();
}

/** A reason among the parameters of a text, beside `error`, its finished text. */
export function reasonParams(reason: Reason | null | undefined): TextParams {
  if (!reason) return {};
  const params = Object.entries(reason.params).map(([name, value]) => [`${ERROR_PARAM}${name}`, value]);
  return { errorCode: reason.code, ...Object.fromEntries(params) };
}

function errorText(locale: Locale, params: TextParams): string | undefined {
  if (typeof params.errorCode !== 'string') return undefined;
  const own = Object.entries(params).flatMap(([name, value]) =>
    name.startsWith(ERROR_PARAM) && (typeof value === 'string' || typeof value === 'number')
      ? [[name.slice(ERROR_PARAM.length), value] as const]
      : [],
  );
  return reasonText(locale, { code: params.errorCode, params: Object.fromEntries(own) });
}

/** Seconds up to two minutes, then minutes, as people say it. */
function elapsedText(locale: Locale, seconds: number): string {
  if (seconds < 120) return locale === 'ja' ? `${Math.round(seconds)}秒` : `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return locale === 'ja' ? `${minutes}分` : `${minutes} min`;
}

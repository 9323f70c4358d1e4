import type { Locale } from '@aizuchi/shared/texts/locale';

/** What an agent reads in `instruction`: which tool to call next. In AIZUCHI_LOCALE. */
export interface Instructions {
  readonly signedIn: string;
  readonly signInFailed: string;
  readonly waitThenAsk: (seconds: number) => string;
  readonly askAgain: string;
  readonly fetchMessages: string;
  readonly leave: string;
  readonly answerMessages: string;
  readonly answerRedelivered: string;
  readonly nothingPending: string;
  readonly answered: string;
  readonly interimSent: string;
  readonly messageSent: string;
  readonly loggedOut: string;
}

const ja: Instructions = {
  signedIn: 'get_next_actionを呼び出して、次にすることを確認してください',
  signInFailed: '同じ認証情報で再試行せず、プロセスを終了してください',
  waitThenAsk: (seconds) => `${seconds}秒後に再度get_next_actionを呼び出してください`,
  askAgain: '再度get_next_actionを呼び出してください',
  fetchMessages: 'get_pending_messagesを呼び出して未読メッセージを取得し、respond_chatで応答してください',
  leave: 'logoutを呼び出してから、プロセスを終了してください',
  answerMessages:
    'pending_messagesのすべてに、respond_chatを1回呼び出して応答してください。その後、get_next_actionを呼び出してください',
  answerRedelivered:
    '以前のセッションが応答する前に終了したメッセージ（redelivered）が含まれています。pending_messagesのすべてに、respond_chatを1回呼び出して応答し、その後、get_next_actionを呼び出してください',
  nothingPending: '未読メッセージはありません。get_next_actionを呼び出してください',
  answered: 'get_next_actionを呼び出してください',
  interimSent: 'メッセージはまだ未応答です。作業を続け、最後にrespond_chatで応答してください',
  messageSent: 'get_next_actionを呼び出してください',
  loggedOut: 'セッションは終了しました。プロセスを終了してください',
};

const en: Instructions = {
  signedIn: 'Call get_next_action to learn what to do.',
  signInFailed: 'Do not try again with the same credential; end your process.',
  waitThenAsk: (seconds) => `Wait ${seconds} seconds, then call get_next_action again.`,
  askAgain: 'Call get_next_action again.',
  fetchMessages: 'Call get_pending_messages to fetch the unread messages, then answer with respond_chat.',
  leave: 'Call logout, then end your process.',
  answerMessages: 'Answer all pending_messages with one respond_chat, then call get_next_action.',
  answerRedelivered:
    'Some messages were given to an earlier session that ended before it answered (redelivered). Answer all pending_messages with one respond_chat, then call get_next_action.',
  nothingPending: 'No unread messages. Call get_next_action.',
  answered: 'Call get_next_action.',
  interimSent: 'The messages are still open. Go on, and finish with respond_chat.',
  messageSent: 'Call get_next_action.',
  loggedOut: 'The session has ended. End your process.',
};

const catalogs: Record<Locale, Instructions> = { ja, en };

export function instructionsIn(locale: Locale): Instructions {
  return catalogs[locale];
}

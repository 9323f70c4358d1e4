import type { TurnErrorCode } from '../../contract/turn.ts';
import type { Locale } from '../../platform/texts/locale.ts';

type Reason = TurnErrorCode | 'not_configured' | 'process_died' | 'stopping' | 'agent_gone' | 'too_long';

const TEXTS: Record<Locale, Readonly<Record<Reason, string>>> = {
  ja: {
    llm_unavailable: 'モデルに接続できません。LLM_BASE_URL とモデルのサーバーを確認してください。',
    not_configured: 'モデルが設定されていません。LLM_BASE_URL と LLM_MODEL を設定してください。',
    llm_stream_failed: 'モデルの応答が途中で切れました。それまでの内容は保存されています。',
    process_died: '応答の途中でサーバーのプロセスが終わりました。それまでの内容は保存されています。',
    stopping: 'サーバーが停止するため、応答を途中で終えました。それまでの内容は保存されています。',
    agent_gone:
      'エージェントが削除されたかプロジェクトから外された、またはプロジェクトがアーカイブされたため、応答を途中で終えました。それまでの内容は保存されています。',
    too_long:
      '応答が設定の TURN_TIMEOUT_SECONDS より長くかかったため、途中で終えました。それまでの内容は保存されています。',
    image_too_large: '画像は 1 枚 5 MB までです。小さくしてから送ってください。',
  },
  en: {
    llm_unavailable: 'The model cannot be reached. Check LLM_BASE_URL and the server of the model.',
    not_configured: 'No model is configured. Set LLM_BASE_URL and LLM_MODEL.',
    llm_stream_failed: 'The reply of the model broke off. What was said until then is kept.',
    process_died: 'The process of the server ended during the reply. What was said until then is kept.',
    stopping: 'The server is stopping and has ended the reply. What was said until then is kept.',
    agent_gone:
      'The agent was deleted or removed from the project, or the project was archived. What was said until then is kept.',
    too_long:
      'The reply took longer than TURN_TIMEOUT_SECONDS in the settings. What was said until then is kept.',
    image_too_large: 'An image may have at most 5 MB. Make it smaller, then send it again.',
  },
};

export function turnText(locale: Locale, reason: Reason): string {
  return TEXTS[locale][reason];
}

import { SCOPE_TEXTS } from '../session-scope.ts';
import type { ClaudeTexts } from './texts-shape.ts';

export const ja: ClaudeTexts = {
  steps: {
    thought: '思考',
    read: (file) => `${file} を読み込み`,
    edited: (file) => `${file} を編集`,
    created: (file) => `${file} を作成`,
    ran: (command) => `${command} を実行`,
    searched: (what) => `${what} を検索`,
    fetched: (address) => `${address} を取得`,
    delegated: (what) => `サブエージェントに依頼：${what}`,
    skill: (name) => `スキル ${name} を使用`,
    own: {
      send_message: 'メッセージを送信',
      start_conversation: 'ほかのエージェントとの会話を開始',
      end_conversation: 'ほかのエージェントとの会話を終了',
      get_conversation_messages: 'ほかのエージェントとの会話を確認',
      list_project_agents: 'プロジェクトのメンバーを確認',
      list_tasks: 'ボードを確認',
      get_task: 'タスクを確認',
      create_task: 'ボードにタスクを追加',
      update_task_status: 'ボードのタスクを移動',
      propose_subtasks: 'タスクの分割を提案',
      get_my_task: '自分のタスクを確認',
      save_context: 'タスクの状況を保存',
      report_completed: 'タスクの結果を報告',
      get_attachment: 'ファイルを確認',
      recall: '記憶を検索',
      remember: '記憶に追加',
      get_my_profile: '自分の設定を確認',
    },
    retry: (attempt, most, why) => `モデルが応答しません（${why}）。再試行 ${attempt}／${most}`,
    compacting: 'コンテキストを要約中',
    compacted: (before, after) =>
      `コンテキストを要約（${before}${after === undefined ? '' : ` → ${after}`} トークン）`,
    restarted: 'Claude Codeが予期せず終了したため、再起動しました',
    toolUses: (count) => `ツール呼び出し ${count} 回`,
  },
  reasons: {
    authentication: 'サインインの拒否',
    rateLimit: '利用上限',
    overloaded: '混雑',
    server: 'サーバーのエラー',
    network: '接続できない、または応答なし',
  },
  failures: {
    notSignedIn:
      'このエージェントのホストで、Claude Codeにサインインしていません。ホストでエージェントのアカウントから `claude` を起動して /login を行うか、ANTHROPIC_API_KEY を設定してください（アカウントは `npm run doctor` で確認できます）。その後、もう一度送信してください。',
    keyRefused:
      'Claude Codeのキーまたはサインインが拒否されました。ホストで `claude` を起動して /login をやり直すか、別の ANTHROPIC_API_KEY を設定して、もう一度送信してください。',
    modelNotFound: (model) =>
      `モデル ${model || '（エージェントの設定）'} が存在しないか、このアカウントでは使えません。エージェントのページで別のモデルを選んでください。`,
    rateLimit: (why) =>
      `Claudeアカウントの利用上限に達しました（${why}）。しばらく待ってから、もう一度送信してください。`,
    overloaded: 'モデルが混み合っています。数分後にもう一度送信してください。',
    server: (status) =>
      `モデルのサーバーでエラーが起きました（${status}）。しばらくしてから、もう一度送信してください。`,
    network:
      'このエージェントのホストからモデルに接続できないか、時間内に応答がありません。ホストのネットワークと ANTHROPIC_BASE_URL を確認して、もう一度送信してください。',
    tooLong:
      '要約してもコンテキストがモデルの上限を超えています。新しいコンテキストで始めるか、メッセージを短くしてください。',
    credit: 'Claudeアカウントのクレジットが不足しています。追加してから、もう一度送信してください。',
    refused: (why) => `モデルがリクエストを拒否しました：${why}`,
    other: (why) => `Claude Codeが回答できませんでした：${why}`,
    died: (why) => `Claude Codeが予期せず終了しました（${why}）。もう一度送信してください。`,
    noFolder: (folder) =>
      `プロジェクトの作業フォルダ ${folder} がなくなっています。元に戻すか、プロジェクトの設定で別のフォルダを指定して、もう一度送信してください。`,
    missing: (path) =>
      `Claude Codeが見つからなくなりました（${path}）。インストールするか、\`npm run add-claude\` を実行して、もう一度送信してください。`,
    notExecutable: (path) =>
      `このエージェントのアカウントではClaude Codeを実行できません（${path}）。対処方法は \`npm run doctor\` で確認できます。`,
    unusable: (path, why) =>
      `Claude Codeを起動できませんでした（${path}）：${why}。\`npm run doctor\` で確認するか、\`npm run add-claude\` で検証済みのバージョンを使ってください。`,
    noAnswer: '準備が終わる前に終了しました',
    silent: (path, seconds) =>
      `Claude Codeを起動しましたが、${seconds}秒間応答がありません（${path}）。\`npm run doctor\` で確認して、もう一度送信してください。`,
  },
  approvals: {
    run: 'コマンドの実行',
    edit: (file) => `${file} の変更`,
    scope: SCOPE_TEXTS.ja,
    use: (tool) => `${tool} の使用`,
  },
};

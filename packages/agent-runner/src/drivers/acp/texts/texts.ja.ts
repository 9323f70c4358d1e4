import { SCOPE_TEXTS } from '../../session-scope.ts';
import type { AcpTexts } from './texts-shape.ts';

export const ja: AcpTexts = {
  steps: {
    thought: '思考',
    plan: '計画',
    compacting: 'コンテキストを要約中',
    compacted: 'コンテキストを要約',
    quiet: (seconds) =>
      `エージェントから${seconds}秒間反応がありません（モデルの混雑や利用上限の可能性があります）`,
    mayNotAsk: (program, modes) =>
      `${program} は許可を求めずに操作することがあります（許可を求めると確認できたモードがありません。モード：${modes.join('、') || 'なし'}）`,
    unknownTool: 'ツールを使用',
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
      get_my_task: '自分のタスクを確認',
      save_context: 'タスクの状況を保存',
      report_completed: 'タスクの結果を報告',
      get_attachment: 'ファイルを確認',
      recall: '記憶を検索',
      remember: '記憶に追加',
      get_my_profile: '自分の設定を確認',
    },
  },
  form: {
    header: '質問',
    yes: 'はい',
    no: 'いいえ',
    leaveEmpty: '空欄のまま',
    decline: '回答しない',
    moreChoices: (labels) => `次の選択肢も入力して回答できます：${labels.join('・')}`,
  },
  failures: {
    noFolder: (folder) =>
      `プロジェクトの作業フォルダ ${folder} がなくなっています。元に戻すか、プロジェクトの設定で別のフォルダを指定して、もう一度送信してください。`,
    missing: (program) =>
      `プログラム ${program} が見つからなくなりました。インストールするか、エージェントのページでコマンドを変更して、もう一度送信してください。`,
    notExecutable: (program) =>
      `このエージェントのアカウントでは ${program} を実行できません。ホストで権限を変更して、もう一度送信してください。`,
    endedAtStart: (program, how, said) =>
      `${program} が起動直後に終了しました（${how}）${said && `：${said}`}。このエージェントのホストの端末でコマンドを試してから、もう一度送信してください。`,
    died: (program, how, said) =>
      `${program} が作業の途中で終了しました（${how}）${said && `：${said}`}。もう一度送信すると、起動し直して可能なところから続けます。`,
    neverAnswered: (program, seconds) =>
      `${program} を起動しましたが、${seconds}秒間応答がありません。コマンドが Agent Client Protocol を話すことを確認して（Gemini CLIの場合：gemini --acp）、もう一度送信してください。`,
    rubbish: (program) =>
      `${program} が Agent Client Protocol ではない文字列を出力しています。コマンドの引数を確認してください（Gemini CLIの場合：--acp）。出力は実行ログにあります。`,
    notTheProtocol: (program, what) =>
      `${program} の ${what} への応答が Agent Client Protocol の形式ではありません。プログラムを更新して、もう一度送信してください。`,
    wrongVersion: (program, version, ours) =>
      `${program} は Agent Client Protocol のバージョン${version}を使いますが、Aizuchiはバージョン${ours}を使います。別のバージョンのプログラムを使ってください。`,
    signIn: (program, command, variable) =>
      `このエージェントのホストで、${program} にサインインしていません。ホストの端末でエージェントのアカウントから \`${command}\` を実行してサインインするか${variable ? `、Coordinatorに ${variable} を設定して AIZUCHI_AGENT_ENV にその名前を加え` : '、プログラムの設定を確認し'}てください。その後、もう一度送信してください。`,
    signInRefused: (program, message, command, variable) =>
      `${program} のサインインが受け付けられませんでした：${message}。期限が切れたか、キーが間違っています。このエージェントのホストの端末で \`${command}\` を実行してサインインし直すか${variable ? `、${variable} を直し` : '、プログラムの設定を確認し'}てください。その後、もう一度送信してください。`,
    unknownModel: (model, models) =>
      `このエージェントにモデル「${model}」はありません。使えるモデル：${models.join('、')}。エージェントのモデルを変更して、起動し直してください。`,
    noChoiceOfModel: (program, model) =>
      `モデル「${model}」はここでは選べません。${program} は自身の設定にあるモデルを使います。エージェントのモデルを空にして、起動し直してください。`,
    reported: (program, message) => `${program} が回答できませんでした：${message}`,
    silent: (seconds) =>
      `エージェントから${seconds}秒間反応がないため停止しました。モデルの混雑や利用上限の可能性があります。しばらく待ってから、もう一度送信してください。`,
    refusal: 'モデルがこの依頼への回答を拒否しました。言い方を変えるか、新しいコンテキストで始めてください。',
    maxTokens:
      'モデルのコンテキストがいっぱいになったため、回答はここまでです。新しいコンテキストで始めるか、短い回答を依頼してください。',
    maxRequests:
      'エージェントがここで停止しました（1回の作業の上限に達したか、同じ内容を繰り返しました）。続け方を指示してください。',
    gaveUp: 'エージェントが自分で作業を打ち切りました。もう一度送信するか、言い方を変えてください。',
    noAnswer:
      'エージェントが回答せずに終了しました。もう一度送信するか、言い方を変えてください。実行ログに理由がある場合があります。',
  },
  scope: SCOPE_TEXTS.ja,
  endedAfterRefusal: '許可されなかったため、ここで止めました。代わりにどうするかを書いてください。',
};

import type { Locale } from '@aizuchi/shared/platform/config/config';

/** Why a run could not be started or ended, and what to do. Shown to people with the run and in the chat. */
export interface RunErrorTexts {
  readonly directoryMissing: (path: string) => string;
  readonly directoryIsLink: (path: string) => string;
  readonly directoryOverlaps: (path: string) => string;
  readonly directoryNotWritable: (path: string, account: string) => string;
  readonly commandMissing: string;
  readonly commandNotFound: (file: string) => string;
  readonly commandNotExecutable: (file: string, account: string) => string;
  readonly commandNotAllowed: (file: string) => string;
  readonly providerNotAvailable: (provider: string) => string;
  readonly incomplete: string;
  readonly spawnFailed: (reason: string) => string;
  readonly wouldNotDie: (pids: string) => string;
}

const JA: RunErrorTexts = {
  directoryMissing: (path) =>
    `作業フォルダ ${path} がありません。フォルダを作るか、プロジェクトの設定を変更してください。`,
  directoryIsLink: (path) =>
    `作業フォルダ ${path} またはその途中がリンクに変わっています。リンクはたどりません。元のフォルダに戻すか、プロジェクトの設定で実際のパスを指定してください。`,
  directoryOverlaps: (path) =>
    `作業フォルダ ${path} が別のプロジェクトのフォルダと重なっています（一方が他方の中にあります）。どちらかのプロジェクトの設定で別のフォルダに変更してください。`,
  directoryNotWritable: (path, account) =>
    `作業フォルダ ${path} にアカウント ${account} が書き込めません。次のコマンドで所有者を変えてください（チャットの記録 .ai-pm は除きます）：find '${path}' -path '${path}/.ai-pm' -prune -o -exec chown -h ${account} {} +`,
  commandMissing: 'このエージェントにはコマンドが設定されていません。',
  commandNotFound: (file) =>
    `コマンド ${file} が見つかりません。インストールするか、エージェントの設定を変更してください。`,
  commandNotExecutable: (file, account) => `コマンド ${file} をアカウント ${account} が実行できません。`,
  commandNotAllowed: (file) =>
    `コマンド ${file} はこのホストで許可されていません。COORDINATOR_ALLOWED_COMMANDS に追加してください。`,
  providerNotAvailable: (provider) => `プロバイダ ${provider} はこのバージョンではまだ使えません。`,
  incomplete: 'サーバーからの起動指示に必要な項目がありません。',
  spawnFailed: (reason) => `プロセスを起動できませんでした：${reason}`,
  wouldNotDie: (pids) => `終了できないプロセスが残っています（PID：${pids}）。ホストを確認してください。`,
};

const EN: RunErrorTexts = {
  directoryMissing: (path) =>
    `The working directory ${path} does not exist. Make it, or change the project's settings.`,
  directoryIsLink: (path) =>
    `The working directory ${path}, or a folder above it, has become a link. Links are not followed. Put the folder back, or name the real path in the project's settings.`,
  directoryOverlaps: (path) =>
    `The working directory ${path} and the folder of another project overlap: one lies inside the other. Choose another folder in the settings of one of the two projects.`,
  directoryNotWritable: (path, account) =>
    `The account ${account} cannot write to the working directory ${path}. Give it the folder, but not the transcripts in .ai-pm: find '${path}' -path '${path}/.ai-pm' -prune -o -exec chown -h ${account} {} +`,
  commandMissing: 'This agent has no command.',
  commandNotFound: (file) => `The command ${file} was not found. Install it, or change the agent's settings.`,
  commandNotExecutable: (file, account) => `The account ${account} cannot execute the command ${file}.`,
  commandNotAllowed: (file) =>
    `The command ${file} is not allowed on this host. Add it to COORDINATOR_ALLOWED_COMMANDS.`,
  providerNotAvailable: (provider) => `The provider ${provider} is not available in this version yet.`,
  incomplete: "The server's order to start lacks something that is needed.",
  spawnFailed: (reason) => `The process could not be started: ${reason}`,
  wouldNotDie: (pids) => `Processes are left that cannot be ended (pid ${pids}). Look at the host.`,
};

export const RUN_ERRORS: Readonly<Record<Locale, RunErrorTexts>> = { ja: JA, en: EN };

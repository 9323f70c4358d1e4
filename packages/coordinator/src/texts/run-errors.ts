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
  readonly baseUrlMissing: string;
  readonly modelMissing: string;
  /** `variable`: a variable of the Coordinator, never its value. */
  readonly keyMissing: (variable: string) => string;
  readonly claudeMissing: string;
  readonly claudeTooOld: (file: string, version: string, least: string) => string;
  readonly claudeNotExecutable: (file: string, account: string) => string;
  readonly incomplete: string;
  readonly spawnFailed: (reason: string) => string;
  readonly wouldNotDie: (pids: string) => string;
  readonly gitMissing: string;
  readonly gitTooOld: (version: string, oldest: string) => string;
  readonly noRepository: (path: string) => string;
  readonly bareRepository: (path: string) => string;
  readonly emptyRepository: (path: string) => string;
  readonly worktreeNotMade: (path: string, reason: string) => string;
  readonly worktreeNotReadable: (reason: string) => string;
  readonly worktreeInUse: (path: string) => string;
  readonly worktreeOfOtherFolder: (path: string) => string;
  readonly tooManyChanges: (files: number) => string;
  readonly changesTooLarge: (mebibytes: number) => string;
  /** `reason`: the code of the system, such as ECONNREFUSED. */
  readonly engineUnreachable: (address: string, reason: string) => string;
  readonly engineRefused: (reason: string) => string;
  readonly engineSocketInFolder: (path: string) => string;
  readonly imageMissing: (image: string, address: string) => string;
  /** While it waits; in the log of the run. */
  readonly pulling: (image: string, percent: number) => string;
  readonly pullFailed: (image: string, reason: string) => string;
  readonly pullLate: (image: string, percent: number) => string;
  readonly outOfMemory: (mebibytes: number) => string;
  readonly claudeNotInContainer: string;
  readonly needsContainer: string;
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
  baseUrlMissing:
    'このエージェントにはモデルの接続先（ベース URL）が設定されていません。エージェントのページで設定してください。例：http://127.0.0.1:11434/v1（Ollama）',
  modelMissing:
    'このエージェントにはモデルが設定されていません。エージェントのページで、接続先が提供するモデルの名前を設定してください。',
  keyMissing: (variable) =>
    `このエージェントの API キーの変数 ${variable} が、Coordinator の環境にありません。設定して Coordinator を再起動してください。キーが不要な接続先なら、エージェントのページで変数名を消してください。`,
  claudeMissing:
    'このホストにClaude Codeがありません。インストールするか（https://claude.com/claude-code）、Aizuchiのフォルダで npm run add-claude を実行してください。',
  claudeTooOld: (file, version, least) =>
    `Claude Code ${version}（${file}）は古すぎます。${least} 以降が必要です。claude update で更新するか、Aizuchiのフォルダで npm run add-claude を実行してください。`,
  claudeNotExecutable: (file, account) =>
    `Claude Code（${file}）を${account === '' ? '' : `アカウント ${account} が`}実行できません。インストールし直すか、Aizuchiのフォルダで npm run add-claude を実行してください。`,
  incomplete: 'サーバーからの起動指示に必要な項目がありません。',
  spawnFailed: (reason) => `プロセスを起動できませんでした：${reason}`,
  wouldNotDie: (pids) => `終了できないプロセスが残っています（PID：${pids}）。ホストを確認してください。`,
  gitMissing:
    'このプロジェクトでは実行ごとに作業用のコピー（git worktree）を作りますが、Coordinator のホストに git がありません。git をインストールするか、プロジェクトの設定で「共有フォルダ」を選んでください。',
  gitTooOld: (version, oldest) =>
    `Coordinator のホストの git ${version} は古すぎます。${oldest} 以上に更新してください。`,
  noRepository: (path) =>
    `このプロジェクトでは実行ごとに作業用のコピー（git worktree）を作りますが、${path} は git リポジトリではありません。そこで git init して最初のコミットを作るか、プロジェクトの設定で「共有フォルダ」を選んでください。`,
  bareRepository: (path) =>
    `${path} は作業ファイルのない（bare）リポジトリなので、変更を取り込めません。git clone したフォルダをプロジェクトに指定してください。`,
  emptyRepository: (path) =>
    `git リポジトリ ${path} にはまだコミットがないため、作業用のコピーを作れません。最初のコミットを作ってください。`,
  worktreeNotMade: (path, reason) =>
    `${path} の作業用のコピー（git worktree）を作れませんでした。エージェントのアカウントが .git に書き込めるか確認してください：${reason}`,
  worktreeNotReadable: (reason) => `作業用のコピーを処理できませんでした：${reason}`,
  worktreeInUse: (path) =>
    `${path} の作業用のコピーでは、中断した実行のプロセスがまだ動いています。次の実行には新しいコピーを作ります。`,
  worktreeOfOtherFolder: (path) =>
    `中断した実行の作業用のコピーは別のフォルダ ${path} のものです。次の実行には新しいコピーを作ります。`,
  tooManyChanges: (files) =>
    `作業用のコピーに ${files} 個のファイルの変更があり、多すぎて表示も取り込みもできません。生成されるファイルを .gitignore に加えてください。`,
  changesTooLarge: (mebibytes) =>
    `作業用のコピーの変更は ${mebibytes} MiB あり、大きすぎて表示も取り込みもできません。生成されるファイルを .gitignore に加えてください。`,
  engineUnreachable: (address, reason) =>
    `Docker Engine（${address}）に接続できません（${reason}）。動いているか、Coordinator のアカウントに使用権があるか確認してください。場所は AIZUCHI_DOCKER_HOST で指定します。`,
  engineRefused: (reason) => `Docker Engine がコンテナを起動できませんでした：${reason}`,
  engineSocketInFolder: (path) =>
    `作業フォルダ ${path} に Docker Engine のソケットが含まれるため、エージェントに渡せません。プロジェクトの設定で別のフォルダを指定してください。`,
  imageMissing: (image, address) =>
    `Docker Engine（${address}）にイメージ ${image} がありません。Aizuchi のフォルダで docker build --target runner -t ${image} . を実行してください。`,
  pulling: (image, percent) => `イメージ ${image} をダウンロードしています：${percent} %`,
  pullFailed: (image, reason) =>
    `イメージ ${image} をダウンロードできませんでした（${reason}）。名前、レジストリへの接続、サインインの要否を確認してください。Docker Engine のホストで docker pull ${image} を実行すると、詳しい原因が分かります。`,
  pullLate: (image, percent) =>
    `イメージ ${image} のダウンロードがまだ終わっていません（${percent} %）。ダウンロードは続いています。しばらく待ってから、再試行してください。`,
  outOfMemory: (mebibytes) =>
    `プロセスのメモリがコンテナの上限 ${mebibytes} MiB を超えたため、強制終了されました。エージェントのページの「コンテナ」でメモリを増やすか、仕事を小さく分けてください。`,
  claudeNotInContainer:
    'プロバイダー claude のエージェントはコンテナでは動きません。AIZUCHI_EXECUTOR=process の Coordinator で動かしてください。',
  needsContainer:
    'このエージェントはコンテナの中だけで動く設定ですが、コンテナで動かす Coordinator がありません。AIZUCHI_EXECUTOR=docker の Coordinator を起動するか、エージェントのページの「コンテナ」で設定を変えてください。',
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
  baseUrlMissing:
    "This agent has no address of a model (base URL). Set it on the agent's page, for example http://127.0.0.1:11434/v1 for Ollama.",
  modelMissing:
    "This agent has no model. Set it on the agent's page: the name under which its address knows the model.",
  keyMissing: (variable) =>
    `The variable ${variable}, which holds the API key of this agent, is not set where the Coordinator runs. Set it and start the Coordinator again; if the address needs no key, empty the field on the agent's page.`,
  claudeMissing:
    'There is no Claude Code on this host. Install it (https://claude.com/claude-code), or run npm run add-claude in the folder of Aizuchi.',
  claudeTooOld: (file, version, least) =>
    `Claude Code ${version} (${file}) is too old: ${least} or newer is needed. Update it with claude update, or run npm run add-claude in the folder of Aizuchi.`,
  claudeNotExecutable: (file, account) =>
    `Claude Code (${file}) cannot be executed${account === '' ? '' : ` by the account ${account}`}. Install it again, or run npm run add-claude in the folder of Aizuchi.`,
  incomplete: "The server's order to start lacks something that is needed.",
  spawnFailed: (reason) => `The process could not be started: ${reason}`,
  wouldNotDie: (pids) => `Processes are left that cannot be ended (pid ${pids}). Look at the host.`,
  gitMissing:
    'This project gives each run a worktree, but there is no git on the host of the Coordinator. Install git, or choose the shared folder in the settings of the project.',
  gitTooOld: (version, oldest) =>
    `The git ${version} on the host of the Coordinator is too old. Install ${oldest} or newer.`,
  noRepository: (path) =>
    `This project gives each run a worktree, but ${path} is no git repository. Run git init there and make a first commit, or choose the shared folder in the settings of the project.`,
  bareRepository: (path) =>
    `${path} is a bare repository: it has no files into which changes could be kept. Name a clone of it as the folder of the project.`,
  emptyRepository: (path) =>
    `The git repository ${path} has no commit yet, so no worktree can be made of it. Make a first commit.`,
  worktreeNotMade: (path, reason) =>
    `No worktree of ${path} could be made. Look whether the account of the agents can write to its .git: ${reason}`,
  worktreeNotReadable: (reason) => `The worktree could not be handled: ${reason}`,
  worktreeInUse: (path) =>
    `A process of the interrupted run still works in its worktree of ${path}. The next run gets a new worktree.`,
  worktreeOfOtherFolder: (path) =>
    `The worktree of the interrupted run is of another folder, ${path}. The next run gets a new worktree.`,
  tooManyChanges: (files) =>
    `${files} files changed in the worktree: too many to show or keep. Name generated files in .gitignore.`,
  changesTooLarge: (mebibytes) =>
    `The changes in the worktree have ${mebibytes} MiB: too much to show or keep. Name generated files in .gitignore.`,
  engineUnreachable: (address, reason) =>
    `The Docker engine at ${address} does not answer (${reason}). Look whether it runs and the account of the Coordinator may use it; AIZUCHI_DOCKER_HOST says where it is.`,
  engineRefused: (reason) => `The Docker engine did not start the container: ${reason}`,
  engineSocketInFolder: (path) =>
    `The working directory ${path} contains the socket of the Docker engine, which no agent may have. Name another folder in the project's settings.`,
  imageMissing: (image, address) =>
    `The Docker engine at ${address} has no image ${image}. Run docker build --target runner -t ${image} . in the folder of Aizuchi.`,
  pulling: (image, percent) => `Pulling the image ${image}: ${percent} %`,
  pullFailed: (image, reason) =>
    `The image ${image} could not be pulled (${reason}). Look at its name, at the way to its registry, and whether that wants a sign-in. On the host of the engine docker pull ${image} says more.`,
  pullLate: (image, percent) =>
    `The image ${image} is still being pulled (${percent} %). The pull goes on: wait a while, then retry.`,
  outOfMemory: (mebibytes) =>
    `The process was ended because it needed more than its ${mebibytes} MiB of memory. Give the agent more memory on its page, under Container, or smaller pieces of work.`,
  claudeNotInContainer:
    'Agents of provider claude do not run in containers. Let a Coordinator with AIZUCHI_EXECUTOR=process run them.',
  needsContainer:
    'This agent may run in a container only, and there is no Coordinator that has containers. Start one with AIZUCHI_EXECUTOR=docker, or change the setting on the page of the agent, under Container.',
};

export const RUN_ERRORS: Readonly<Record<Locale, RunErrorTexts>> = { ja: JA, en: EN };

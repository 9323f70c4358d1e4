/** Why a run could not be started or ended, and what to do. Shown to people with the run, its task and in the chat. */
export const REASONS_JA = {
  directory_missing:
    '作業フォルダ {path} がありません。フォルダを作るか、プロジェクトの設定を変更してください。',
  directory_is_link:
    '作業フォルダ {path} またはその途中がリンクに変わっています。リンクはたどりません。元のフォルダに戻すか、プロジェクトの設定で実際のパスを指定してください。',
  directory_overlaps:
    '作業フォルダ {path} が別のプロジェクトのフォルダと重なっています（一方が他方の中にあります）。どちらかのプロジェクトの設定で別のフォルダに変更してください。',
  directory_not_writable:
    "作業フォルダ {path} にアカウント {account} が書き込めません。次のコマンドで所有者を変えてください（チャットの記録 .ai-pm は除きます）：find '{path}' -path '{path}/.ai-pm' -prune -o -exec chown -h {account} {} +",
  command_missing: 'このエージェントにはコマンドが設定されていません。',
  command_not_found:
    'コマンド {file} が見つかりません。インストールするか、エージェントの設定を変更してください。',
  command_not_executable:
    'コマンド {file} をアカウント {account} が実行できません。実行できるコマンドを指定するか、このアカウントに実行を許可してください。',
  command_not_allowed:
    'コマンド {file} はこのホストで許可されていません。COORDINATOR_ALLOWED_COMMANDS に追加してください。',
  base_url_missing:
    'このエージェントにはモデルの接続先（ベース URL）が設定されていません。エージェントのページで設定してください。例：http://127.0.0.1:11434/v1（Ollama）',
  model_missing:
    'このエージェントにはモデルが設定されていません。エージェントのページで、接続先が提供するモデルの名前を設定してください。',
  key_missing:
    'このエージェントの API キーの変数 {variable} が、Coordinator の環境にありません。設定して Coordinator を再起動してください。キーが不要な接続先なら、エージェントのページで変数名を消してください。',
  claude_missing:
    'このホストにClaude Codeがありません。インストールするか（https://claude.com/claude-code）、Aizuchiのフォルダで npm run add-claude を実行してください。',
  claude_too_old:
    'Claude Code {version}（{file}）は古すぎます。{least} 以降が必要です。claude update で更新するか、Aizuchiのフォルダで npm run add-claude を実行してください。',
  claude_not_executable:
    'Claude Code（{file}）を実行できません。インストールし直すか、Aizuchiのフォルダで npm run add-claude を実行してください。',
  claude_not_executable_by:
    'Claude Code（{file}）をアカウント {account} が実行できません。インストールし直すか、Aizuchiのフォルダで npm run add-claude を実行してください。',
  incomplete: 'サーバーからの起動指示に必要な項目がありません。',
  spawn_failed: 'プロセスを起動できませんでした：{reason}',
  would_not_die: '終了できないプロセスが残っています（PID：{pids}）。ホストを確認してください。',
  git_missing:
    'このプロジェクトでは実行ごとに作業用のコピー（git worktree）を作りますが、Coordinator のホストに git がありません。git をインストールするか、プロジェクトの設定で「共有フォルダ」を選んでください。',
  git_too_old: 'Coordinator のホストの git {version} は古すぎます。{oldest} 以上に更新してください。',
  no_repository:
    'このプロジェクトでは実行ごとに作業用のコピー（git worktree）を作りますが、{path} は git リポジトリではありません。そこで git init して最初のコミットを作るか、プロジェクトの設定で「共有フォルダ」を選んでください。',
  bare_repository:
    '{path} は作業ファイルのない（bare）リポジトリなので、変更を取り込めません。git clone したフォルダをプロジェクトに指定してください。',
  empty_repository:
    'git リポジトリ {path} にはまだコミットがないため、作業用のコピーを作れません。最初のコミットを作ってください。',
  worktree_not_made:
    '{path} の作業用のコピー（git worktree）を作れませんでした。エージェントのアカウントが .git に書き込めるか確認してください：{reason}',
  worktree_not_readable: '作業用のコピーを処理できませんでした：{reason}',
  worktree_in_use:
    '{path} の作業用のコピーでは、中断した実行のプロセスがまだ動いています。次の実行には新しいコピーを作ります。',
  worktree_of_other_folder:
    '中断した実行の作業用のコピーは別のフォルダ {path} のものです。次の実行には新しいコピーを作ります。',
  too_many_changes:
    '作業用のコピーに {files} 個のファイルの変更があり、多すぎて表示も取り込みもできません。生成されるファイルを .gitignore に加えてください。',
  changes_too_large:
    '作業用のコピーの変更は {mebibytes} MiB あり、大きすぎて表示も取り込みもできません。生成されるファイルを .gitignore に加えてください。',
  engine_unreachable:
    'Docker Engine（{address}）に接続できません（{reason}）。動いているか、Coordinator のアカウントに使用権があるか確認してください。場所は AIZUCHI_DOCKER_HOST で指定します。',
  engine_refused: 'Docker Engine がコンテナを起動できませんでした：{reason}',
  engine_socket_in_folder:
    '作業フォルダ {path} に Docker Engine のソケットが含まれるため、エージェントに渡せません。プロジェクトの設定で別のフォルダを指定してください。',
  image_missing:
    'Docker Engine（{address}）にイメージ {image} がありません。Aizuchi のフォルダで docker build --target runner -t {image} . を実行してください。',
  agent_image_missing:
    'Docker Engine（{address}）に、このエージェントが指定するイメージ {image} がありません。そこでビルドするか、エージェントのページでレジストリのイメージを指定してください。',
  pulling: 'イメージ {image} をダウンロードしています：{percent} %',
  pull_failed:
    'イメージ {image} をダウンロードできませんでした（{reason}）。名前、レジストリへの接続、サインインの要否を確認してください。Docker Engine のホストで docker pull {image} を実行すると、詳しい原因が分かります。',
  pull_late:
    'イメージ {image} のダウンロードがまだ終わっていません（{percent} %）。ダウンロードは続いています。しばらく待ってから、再試行してください。',
  swarm_refused: 'Swarm がサービスを起動できませんでした：{reason}',
  no_node:
    'Swarm にこのエージェントを置けるノードがありません（{reason}）。ノードの状態と AIZUCHI_SWARM_CONSTRAINTS を確認してください。',
  node_late:
    'Swarm のノード {node} は、イメージ {image} またはコンテナをまだ準備しています。しばらく待ってから再試行してください。そのノードで docker pull {image} を実行すると、詳しい状況が分かります。',
  not_on_node:
    'Swarm のノード {node} に作業フォルダ {path} がありません。共有ストレージをすべてのノードの同じパスにマウントするか、AIZUCHI_SWARM_CONSTRAINTS でフォルダのあるノードを指定してください。',
  image_not_on_node:
    'Swarm のノード {node} にイメージ {image} がなく、取得もできません。全ノードから届くレジストリに置いて AIZUCHI_DOCKER_IMAGE で指定してください。',
  node_lost: 'Swarm のノード {node} が応答しなくなったため、実行は失われました。仕事は別のノードで続きます。',
  taken_off_node:
    'Swarm がこの実行をノード {node} から外しました（ノードの退避など）。仕事は別のノードで続きます。',
  cluster_unreachable:
    'Kubernetes API（{address}）に接続できません（{reason}）。動いているか、Coordinator から届くか確認してください。場所は AIZUCHI_KUBERNETES_CONFIG で指定します。',
  cluster_refused: 'Kubernetes が Job を起動できませんでした：{reason}',
  folder_not_in_cluster:
    'フォルダ {path} を持つボリュームがクラスターにありません。それを持つ PersistentVolumeClaim を AIZUCHI_KUBERNETES_CLAIMS で、すべてのノードにあるなら AIZUCHI_KUBERNETES_HOST_PATHS で指定してください。',
  pod_not_placed:
    'クラスターにこのエージェントを置けるノードがありません（{reason}）。ノードの状態、名前空間のクォータ、AIZUCHI_KUBERNETES_NODES を確認してください。',
  pod_late:
    'クラスターのノード {node} がまだコンテナを準備しています（{reason}）。しばらく待ってから再試行してください。',
  pod_image:
    'クラスターのノード {node} がイメージ {image} を取得できません（{reason}）。AIZUCHI_DOCKER_IMAGE の名前、レジストリへの接続、サインインの要否を確認してください。サインインが必要なら、その Secret を実行用の ServiceAccount の imagePullSecrets に加えてください。',
  pod_refused: 'クラスターのノード {node} でコンテナを起動できませんでした：{reason}',
  pod_node_lost:
    'クラスターのノード {node} が応答しなくなったため、実行は失われました。仕事は別のノードで続きます。',
  pod_taken_off:
    'Kubernetes がこの実行をノード {node} から外しました（{reason}）。仕事は別のノードで続きます。',
  no_privilege_lock:
    'イメージ {image} に setpriv がないため、エージェントを権限の昇格なしに動かせません。util-linux（または BusyBox の setpriv）を入れてください。',
  out_of_memory:
    'プロセスのメモリがコンテナの上限 {mebibytes} MiB を超えたため、強制終了されました。エージェントのページの「コンテナ」でメモリを増やすか、仕事を小さく分けてください。',
  needs_container:
    'このエージェントはコンテナの中だけで動く設定ですが、コンテナで動かす Coordinator がありません。AIZUCHI_EXECUTOR=docker、swarm または kubernetes の Coordinator を起動するか、エージェントのページの「コンテナ」で設定を変えてください。',
  needs_egress:
    'このプロジェクトではエージェントの接続先が限られていますが、それを守らせることのできる Coordinator がありません。エンジンと同じホストで AIZUCHI_EXECUTOR=docker の Coordinator を起動するか、プロジェクトの設定の「エージェントのネットワーク」を変えてください。',
  egress_not_named: '{target} はプロジェクトの接続先の一覧にありません。',
  egress_private:
    '{target} の接続先 {address} は、このホストまたはプライベートネットワークのアドレスです。接続するには、プロジェクトの接続先の一覧にそのアドレス自体を書いてください。',
  egress_not_listening:
    '接続先を限られたエージェントのための待ち受け（{address}）を Coordinator が開けませんでした（{reason}）。Coordinator は Docker Engine と同じホストで、コンテナの外で動かしてください。',
  egress_no_server:
    '接続先を限られたエージェントの通信を Coordinator が中継する先の mcp-server（{address}）が応答しません（{reason}）。Coordinator と同じホストでは、127.0.0.1 などの IPv4 アドレスで待ち受けてください。',
  review_chain_limit:
    '完了と報告されましたが、エージェント同士の連鎖が上限に達しているため、レビューを始められません。結果を確かめて進めてください。',
  exited: '終了コード {exitCode}',
  signalled: 'シグナル {signal}',
} as const;

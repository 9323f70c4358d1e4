/** The words for the states of an agent's ring. */
export const agents = {
  list: 'エージェント',
  open: '{{name}} のチャットを開く: {{state}}',
  more_other: 'ほか {{count}} 体のエージェント',
  state: {
    none: '休止中',
    queued: '順番待ち',
    starting: '起動中',
    ready: '待機中',
    busy: '作業中',
    waiting_for_person: '回答待ち',
    ending: '終了中',
    failed: '失敗',
  },
  sentence: {
    none: '休止中。話しかけると起動します',
    queued: '{{since}}から順番待ち',
    starting: '起動中 · {{since}}から',
    ready: '待機中 · {{since}}から',
    readyUntil: '待機中 · {{until}} まで維持',
    folder_in_use: '別のエージェントがこのフォルダーで作業しているため、終わるのを待っています',
    busy: '作業中 · {{since}}から',
    waiting_for_person: '回答待ち · {{since}}から',
    ending: '終了しています',
    failed: '失敗 · {{since}}',
  },
  unread_other: '未読 {{count}} 件',
} as const;

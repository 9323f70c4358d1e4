export const inbox = {
  title: '受信箱',
  waiting_other: '{{count}} 件',
  unread_other: '未読 {{count}} 件',
  emptyTitle: '待っているものはありません',
  emptyText: 'すべてのプロジェクトの未読メッセージが、ここに届きます。',
  openChat: 'チャットを開く',
} as const;

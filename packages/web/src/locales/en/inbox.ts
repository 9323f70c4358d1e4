export const inbox = {
  title: 'Inbox',
  waiting_one: '{{count}} waiting',
  waiting_other: '{{count}} waiting',
  unread_one: '{{count}} unread message',
  unread_other: '{{count}} unread messages',
  emptyTitle: 'Nothing waits for you',
  emptyText: 'Unread messages from all projects arrive here.',
  openChat: 'Open chat',
} as const;

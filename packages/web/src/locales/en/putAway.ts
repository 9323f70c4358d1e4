export const putAway = {
  order: 'last put away first',
  emptyTitle: 'Nothing is put away',
  emptyText:
    'What you put away in the inbox, or for later, can be brought back from here. What is settled, or has happened again, is not listed.',
  restore: 'Back to the inbox',
  restored: 'Back in the inbox',
  backAt: 'Back at {{time}}',
  older: 'Earlier ones',
  key: 'back to the inbox',
} as const;

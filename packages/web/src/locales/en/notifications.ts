export const notifications = {
  approvalTitle: '{{agent}} waits for your approval',
  title: '{{agent}} waits for your answer',
  questions: 'Questions',
  hint: 'The browser notifies you when an agent is waiting for your answer, unless the question is in front of you already. Unanswered, it reminds you after 2 minutes, 10 minutes, then every 30 minutes.',
  newVersion: 'There is a new version.',
  reload: 'Reload',
  ask: 'Allow in this browser…',
  state: {
    ask: 'Not allowed yet.',
    on: 'On.',
    off: 'Off. Only the inbox and the number on the tab tell you.',
    denied:
      'The browser blocks notifications from this site. Allow them in its settings for this site first.',
    unsupported: 'Not available here. A browser offers it on https or on this machine (localhost) only.',
  },
} as const;

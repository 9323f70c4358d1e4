export const notifications = {
  title: '{{agent}} waits for your answer',
  questions: 'Questions',
  hint: 'The browser tells you when the question of an agent waits for you. Not while you have the question before you. Unanswered, it tells you again after 2 minutes, 10 minutes, then every 30 minutes.',
  ask: 'Allow in this browser…',
  state: {
    ask: 'Not allowed yet.',
    on: 'On.',
    off: 'Off. Only the inbox and the number on the tab tell you.',
    denied: 'The browser refuses notifications of this site. Allow them in its settings for this site first.',
    unsupported: 'Not available here. A browser offers it on https or on this machine (localhost) only.',
  },
} as const;

export const hello = {
  title: 'Say hello',
  start: 'Try it',
  running: 'Running',
  again: 'Again',
  project: 'Project to try it in',
  intro:
    'Sends one message to its chat in {{project}}, marked as a test, and shows how long each step took, from the start to the answer.',
  message: '[Connection test] Hello. Please answer with the one word “{{word}}”. Nothing else is to be done.',
  word: 'Aizuchi',
  steps: 'Steps of the test',
  step: {
    place: 'Place on a host',
    process: 'Start of the process',
    sign_in: 'Sign-in',
    delivered: 'Delivery of the message',
    first_text: 'First text',
    answered: 'Answer',
  },
  state: { done: ' done', current: ' in progress', failed: ' failed', open: ' to come' },
  notYet: 'not yet',
  wasReady: 'was running',
  unseen: 'It was over before this page saw it. Its time is in the next step.',
  asks: 'The agent waits for your answer. Give it in the chat.',
  otherAnswer:
    'The answer does not have “{{word}}” in it. If it describes a fault, do what it says, then try again.',
  toRuns: 'Look at the run log',
  toChat: 'Open the chat',
} as const;

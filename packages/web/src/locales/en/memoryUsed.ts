export const memoryUsed = {
  title: 'Memory used for this answer',
  loading: 'Loading…',
  nothing: 'Memory was searched for this answer, and there was nothing to use.',
  deleted: 'This memory was deleted after the answer.',
  gone: 'It is no longer known which memories this answer has used.',
  failed: 'What memory was used could not be loaded',
  toMessage: 'Where it was said',
  correct: 'Wrong? Correct it',
  right: 'What is right',
  rightHint: 'It replaces this memory. What it said before stays in its history.',
  corrected: 'Corrected. It now says: {{text}}',
  toMemory: 'Open the memory',
} as const;

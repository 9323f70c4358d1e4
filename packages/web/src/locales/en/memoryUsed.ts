export const memoryUsed = {
  title: 'Memory used for this answer',
  loading: 'Loading…',
  nothing: 'Memory was searched for this answer, and there was nothing to use.',
  deleted: 'This memory was deleted after the answer.',
  gone: 'It is no longer known which memories this answer has used.',
  failed: 'What memory was used could not be loaded',
  toMessage: 'Where it was said',
} as const;

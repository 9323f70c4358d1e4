export const common = {
  cancel: 'Cancel',
  close: 'Close',
  create: 'Create',
  loading: 'Loading…',
  remove: 'Remove',
  retry: 'Retry',
  save: 'Save',
  saved: 'Saved',
  seconds: '{{seconds}} s',
} as const;

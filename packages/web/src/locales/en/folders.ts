export const folders = {
  label: 'Choose the working folder',
  way: 'Where the folder lies',
  places: 'Allowed places',
  inside: 'Folders in {{folder}}',
  empty: 'There is no folder in it.',
  use: 'Use this folder',
  looksLikeAnother: 'Another folder has a name that looks the same',
  isCut: 'There are too many to show them all. Write the path of another one.',
  leftOut_one: '{{count}} folder is not shown, because its name cannot be shown as text.',
  leftOut_other: '{{count}} folders are not shown, because their names cannot be shown as text.',
  newOne: 'To make a new folder, write its name behind the path of the folder that you use.',
  keys: { move: 'to move', open: 'to open', up: 'to go up' },
} as const;

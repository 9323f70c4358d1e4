export const transfer = {
  title: 'Export and import',
  export: 'Export',
  exportText:
    'A file with the board: tasks, comments, history and attempts. Chats, files and the memory of agents are not in it.',
  import: 'Import…',
  importText:
    'Makes a new project of an exported file. It is paused: nothing starts before you make it active. Agents and people are found by their names.',
  imported_one: 'Imported, with {{count}} task. The project is paused.',
  imported_other: 'Imported, with {{count}} tasks. The project is paused.',
  open: 'Open it',
  unmatched: 'Nobody here has these names, so their tasks are unassigned: {{names}}',
} as const;

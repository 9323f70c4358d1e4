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
  chats: 'Take in old chats',
  chatsText:
    'When the folder of this project was used before, its .ai-pm holds chats. Those of the agents of this project become their history; twice makes nothing new.',
  chatsImported_one: 'Taken in: {{count}} message. Known already: {{known}}.',
  chatsImported_other: 'Taken in: {{count}} messages. Known already: {{known}}.',
  chatsLeft_one: '{{count}} line of a conversation between agents was left out.',
  chatsLeft_other: '{{count}} lines of conversations between agents were left out.',
  chatsUnknown: 'Agents with these ids are not in this project, so nothing of them was read: {{ids}}',
  unmatched: 'Nobody here has these names, so their tasks are unassigned: {{names}}',
} as const;

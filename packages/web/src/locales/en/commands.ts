export const commands = {
  open: 'Search, go to, act',
  title: 'Search and commands',
  placeholder: 'Search projects, agents, actions…',
  placeholderInProject: 'Search memory, tasks, chats, conversations, actions…',
  nothing: 'Nothing found. Try other words.',
  chatWith: 'Open chat',
  goTo: 'Go to',
  view: 'View',
} as const;

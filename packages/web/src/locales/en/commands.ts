export const commands = {
  title: 'Search and commands',
  placeholder: 'Search projects, agents, actions…',
  placeholderInProject: 'Search memory, tasks, chats, conversations, actions…',
  nothing: 'Nothing found in this project. Try other words.',
  nothingHere:
    'No page or project of this name. Tasks, chats and memories are searched in a project: open one first.',
  chatWith: 'Open chat',
  goTo: 'Go to',
  view: 'View',
  actions: 'Actions',
  keys: 'Keys of the page',
  agents: 'Agents',
  otherAgents: 'Agents elsewhere',
} as const;

export const commands = {
  title: 'Commands',
  placeholder: 'Search projects, agents, tasks, actions…',
  nothing: 'Nothing found. Try other words.',
  chatWith: 'Open chat',
  goTo: 'Go to',
  view: 'View',
} as const;

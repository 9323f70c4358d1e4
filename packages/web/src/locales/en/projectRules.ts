export const projectRules = {
  permissionPolicy: 'When an agent needs permission',
  policy: { ask: 'Ask a person', allow_edits: 'Allow edits, ask for the rest', deny: 'Deny everything' },
  policyHint: {
    ask: 'Each request is a card in the chat and in the inbox. Nothing happens until somebody decides.',
    allow_edits: 'Changes of files in the working folder need nobody. Commands and all else are asked for.',
    deny: 'Nobody is asked: the agent is told that it may not, and goes on with what needs no permission.',
  },
  reviewer: 'Who looks at finished tasks',
  nobody: 'Nobody: what an agent reports as done is done',
  reviewerHint:
    'What an agent reports as done stays in progress and goes to this person or agent. Whoever looks at it moves it to done, or gives it back.',
  isolation: 'Where agents work',
  place: { shared: 'In the working folder', worktree: 'In a worktree of their own' },
  placeHint: {
    shared:
      'All agents share one folder. What they change is there at once. One agent at a time works on files; the others wait for it.',
    worktree:
      'Each run has a copy of the repository. A person keeps or discards what was changed. The working folder must be a git repository with a commit.',
  },
  egress: {
    title: 'Network of agents',
    legend: 'What agents may reach',
    mode: { any: 'Everything their host allows', list: 'Only these hosts' },
    modeHint: {
      any: 'As the network of their Coordinator has it, which may be the whole internet.',
      list: 'Agents of this project are started in containers only, and reach nothing but Aizuchi and what stands here. Where no Coordinator can keep them to it they are not started.',
    },
    hosts: 'Hosts, one a line',
    hostsHint:
      'example.org, *.example.org or example.org:8443; without a port for 443 and 80. Also the addresses of their models, such as api.anthropic.com. Empty: only Aizuchi. It counts from the next start of an agent on.',
    wrong: '“{{entry}}” is not a host as it is written here: without https:// and without a path.',
    tooMany: 'At most {{most}} hosts. A name with * stands for all below it.',
  },
} as const;

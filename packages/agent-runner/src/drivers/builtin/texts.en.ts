import type { BuiltinTexts } from './texts-shape.ts';

export const TEXTS_EN: BuiltinTexts = {
  hello: 'Hello.',
  thanks: 'You are welcome. Ask whenever there is something else you would like to know.',
  identity: (name) =>
    `I am ${name ? `${name}, ` : ''}the agent that is built into Aizuchi. I work without an AI model and without a network, so I answer a few fixed things only.`,
  capabilities:
    'Here is what I can do:\n- tell you the progress of the tasks from the board (for example: "How are the tasks going?")\n- play shiritori, the Japanese word chain (for example: "Let\'s play shiritori"), with another agent of the project too\n- ask you with a card of options (for example: "Ask me whether tea or coffee")\n- remember what you tell me, and find what you said before (for example: "Remember that the office moves in May", "What did I tell you about the office?")\n- propose how a task with a list is split ("Ask to split it" on the task)\n- say who I am (for example: "Who are you?")\n\nFor free questions and real work, add an agent with a model to the project.',
  cannot: 'I am sorry, that is something I cannot answer.',
  received: (files) => `I have received: ${files.join(', ')}.`,
  cannotRead: 'I cannot read what is in it. An agent with a model can: send it there.',
  quote: (excerpt) => `About "${excerpt}":`,
  emptyBoard: 'There are no tasks on the board yet.',
  total: (count) =>
    count === 1 ? 'There is 1 task on the board.' : `There are ${count} tasks on the board.`,
  statusNames: {
    backlog: 'Backlog',
    todo: 'To do',
    in_progress: 'In progress',
    blocked: 'Blocked',
    done: 'Done',
    cancelled: 'Cancelled',
  },
  statusCount: (status, count) => `${status}: ${count}`,
  inProgressHeading: 'In progress:',
  blockedHeading: 'Blocked:',
  nothingInProgress: 'Nothing is in progress at the moment.',
  task: (title, assignee) =>
    assignee === null ? `"${title}" (nobody assigned)` : `"${title}" (${assignee})`,
  more: (count) => `and ${count} more`,
};

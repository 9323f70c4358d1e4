import {
  BOARD_VIEWS,
  type BoardView,
  DUE_FILTERS,
  type DueFilter,
} from '../features/board/filter/board-search.ts';

/** What is open on a project page is in the address: a reload and a shared link show the same. */
export interface ProjectSearch {
  /** Whose chat is open. */
  readonly agent?: string;
  /** The task whose card is open. */
  readonly task?: string;
  /** The comment to show in that task. */
  readonly comment?: string;
  /** The message to show. */
  readonly message?: string;
  /** The card to show in that chat. */
  readonly question?: string;
  /** The approval to show in that chat. */
  readonly approval?: string;
  /** The conversation between agents that is open. */
  readonly conversation?: string;
  /** The run whose log is open. */
  readonly run?: string;
  /** The agent whose runs are listed; without it those of all agents. */
  readonly by?: string;
  /** Which tasks the board shows (`TaskFilter`), and how. */
  readonly who?: string;
  readonly label?: string;
  readonly find?: string;
  readonly due?: DueFilter;
  readonly view?: BoardView;
  /** `agent`, `task`: the dialog that adds one. */
  readonly add?: string;
}

const PROJECT_KEYS = [
  'agent',
  'task',
  'comment',
  'message',
  'question',
  'approval',
  'conversation',
  'run',
  'by',
  'add',
  'who',
  'label',
  'find',
] as const;

export function readProjectSearch(search: Record<string, unknown>): ProjectSearch {
  const open = PROJECT_KEYS.flatMap((key) => {
    const id = toId(search[key]);
    return id === undefined ? [] : [[key, id]];
  });
  const due = DUE_FILTERS.find((one) => one === search.due);
  const view = BOARD_VIEWS.find((one) => one === search.view);
  return { ...Object.fromEntries(open), ...(due && { due }), ...(view && { view }) };
}

export interface ProjectsSearch {
  /** `project`: the dialog of a new one is open. */
  readonly add?: 'project';
}

export function readProjectsSearch({ add }: Record<string, unknown>): ProjectsSearch {
  return add === 'project' ? { add } : {};
}

export interface LoginSearch {
  /** Where to go after the sign-in: always an address of this origin. */
  readonly next?: string;
}

export function readLoginSearch(search: Record<string, unknown>): LoginSearch {
  const { next } = search;
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}

/** The router parses an id that looks like a number as one. */
function toId(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

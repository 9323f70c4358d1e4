import type { ProjectSearch } from '../app/search.ts';

/** The search parameters of a project page with its chat closed. */
export function withoutChat(search: ProjectSearch): ProjectSearch {
  const { agent: _agent, message: _message, question: _question, approval: _approval, ...rest } = search;
  return rest;
}

/** The same with the chat of that agent open, at its newest message. */
export function withChat(search: ProjectSearch, agent: string): ProjectSearch {
  return { ...withoutChat(search), agent };
}

/** The same with the dialog that adds an agent to the project. */
export function withNewAgent(search: ProjectSearch): ProjectSearch {
  return { ...search, add: 'agent' };
}

export function withoutNewAgent({ add: _add, ...search }: ProjectSearch): ProjectSearch {
  return search;
}

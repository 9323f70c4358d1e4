import type { Project } from '../../contract/project.ts';
import type { Person } from '../access/person.ts';
import type { StoredProject } from './project-queries.ts';

/** Folders of the server are the owners' (contract §3): others see the project without its own. */
export function projectView(person: Person, project: StoredProject): Project {
  if (person.accessLevel === 'owner') return project;
  const { workingDirectory: _, ...rest } = project;
  return rest;
}

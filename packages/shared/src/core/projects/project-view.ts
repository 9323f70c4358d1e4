import type { Project } from '../../contract/project.ts';
import type { Person } from '../access/person.ts';
import type { StoredProject } from './project-queries.ts';

/** Only owners see folders of the server: others see the project without its folder. */
export function projectView(person: Person, project: StoredProject): Project {
  if (person.accessLevel === 'owner') return project;
  const { workingDirectory: _, ...rest } = project;
  return rest;
}

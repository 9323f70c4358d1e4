/** Whether runs can have worktrees on this host. */

import { StartError } from '../../packages/coordinator/src/launch/start-error.ts';
import { RUN_ERRORS } from '../../packages/coordinator/src/texts/run-errors.ts';
import { findGit } from '../../packages/coordinator/src/worktrees/find-git.ts';
import { type Finding, good, note } from './finding.ts';

export async function gitFinding(path: string): Promise<Finding> {
  try {
    await findGit(path, undefined, RUN_ERRORS.en);
    return good('git', 'It is there, and new enough for worktrees of runs.');
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return note('git', `Projects whose runs have worktrees do not work here. ${error.message}`);
  }
}

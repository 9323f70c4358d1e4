import type { DockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import type { LaunchPlan } from '../../launch/launch-plan.ts';
import type { RunErrorTexts, SaidReason } from '../../texts/run-errors.ts';
import { FOLDER_NOT_WRITABLE, imageOf, limitsOf } from '../docker/box.ts';
import type { EndTexts } from '../remote-run.ts';
import { NO_PRIVILEGE_LOCK, OUT_OF_MEMORY } from './service-spec.ts';
import type { TaskEnd } from './task-state.ts';

interface ExplainOptions {
  readonly node: string;
  readonly texts: RunErrorTexts;
  readonly config: Pick<DockerConfig, 'image' | 'limits'>;
  readonly self: { readonly uid: number };
}

/** What an end means to a person, and what to do. */
export function explainEnd(
  plan: Pick<LaunchPlan, 'cwd' | 'account' | 'limits' | 'image'>,
  { node, texts, config, self }: ExplainOptions,
): (end: TaskEnd) => EndTexts {
  const ofCode = (exitCode: number | undefined): EndTexts => {
    if (exitCode === OUT_OF_MEMORY)
      return { error: texts.outOfMemory(limitsOf(plan, config).memoryMb), signal: 'SIGKILL' };
    if (exitCode === NO_PRIVILEGE_LOCK) return { startError: texts.noPrivilegeLock(imageOf(plan, config)) };
    if (exitCode === FOLDER_NOT_WRITABLE)
      return { startError: texts.directoryNotWritable(plan.cwd, plan.account?.name ?? String(self.uid)) };
    return {};
  };
  const ofRefusal = (reason: string): SaidReason => {
    if (/bind source path does not exist/i.test(reason)) return texts.notOnNode(node, plan.cwd);
    if (/no such image/i.test(reason)) return texts.imageNotOnNode(node, imageOf(plan, config));
    return texts.swarmRefused(reason);
  };
  return (end) => {
    switch (end.kind) {
      case 'ended':
        return ofCode(end.exitCode);
      case 'refused':
        return { startError: ofRefusal(end.reason) };
      case 'taken-off':
        return { lostError: texts.takenOffNode(node) };
      case 'node-lost':
        return { lostError: texts.nodeLost(node) };
      case 'gone':
        return {};
    }
  };
}

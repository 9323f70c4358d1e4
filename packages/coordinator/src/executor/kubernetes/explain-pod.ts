import type { KubernetesConfig } from '@aizuchi/shared/platform/config/kubernetes-config';
import type { LaunchPlan } from '../../launch/launch-plan.ts';
import type { RunErrorTexts } from '../../texts/run-errors.ts';
import { FOLDER_NOT_WRITABLE, imageOf } from '../docker/box.ts';
import type { EndTexts } from '../remote-run.ts';
import { podLimitsOf } from './job-spec.ts';
import type { PodEnd } from './pod-state.ts';

interface ExplainOptions {
  readonly node: string;
  readonly texts: RunErrorTexts;
  readonly config: Pick<KubernetesConfig, 'image' | 'limits'>;
  readonly self: { readonly uid: number };
}

/** What an end means to a person, and what to do. */
export function explainPod(
  plan: Pick<LaunchPlan, 'cwd' | 'account' | 'limits' | 'image'>,
  { node, texts, config, self }: ExplainOptions,
): (end: PodEnd) => EndTexts {
  return (end) => {
    switch (end.kind) {
      case 'ended':
        if (end.isOutOfMemory) return { error: texts.outOfMemory(podLimitsOf(plan, config).memoryMb) };
        if (end.exitCode !== FOLDER_NOT_WRITABLE) return {};
        return { startError: texts.directoryNotWritable(plan.cwd, plan.account?.name ?? String(self.uid)) };
      case 'refused':
        return {
          startError: end.isForImage
            ? texts.podImage(node, imageOf(plan, config), end.reason)
            : texts.podRefused(node, end.reason),
        };
      case 'taken-off':
        return { lostError: texts.podTakenOff(node, end.reason) };
      case 'node-lost':
        return { lostError: texts.podNodeLost(node) };
      case 'gone':
        return {};
    }
  };
}

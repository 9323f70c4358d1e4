import type { Run } from '@aizuchi/shared/contract/run';
import { useTranslation } from 'react-i18next';

type Placed = Pick<Run, 'executor' | 'host' | 'node' | 'image' | 'limits' | 'memory'>;

/** Where a run lives and what it needs, in short parts. Empty until it has started. */
export function usePlaceText() {
  const { t, i18n } = useTranslation();
  const mib = (amount: number) => `${amount.toLocaleString(i18n.language)} MiB`;
  return {
    where: ({ executor, host, node }: Placed) =>
      executor === undefined ? [] : [t(`runs.in.${executor}`, { host: node ?? host ?? '–' })],
    details: ({ image, limits }: Placed) => [
      ...(image === undefined ? [] : [t('runs.image', { image })]),
      ...(limits
        ? [
            limits.processes === undefined
              ? t('runs.limitsOfPod', { memory: mib(limits.memoryMb), cpus: limits.cpus })
              : t('runs.limits', {
                  memory: mib(limits.memoryMb),
                  cpus: limits.cpus,
                  processes: limits.processes.toLocaleString(i18n.language),
                }),
          ]
        : []),
    ],
    memory: ({ memory }: Placed) => {
      if (!memory) return [];
      const most = mib(memory.mostMb);
      return [
        memory.nowMb === undefined
          ? t('runs.memoryMost', { most })
          : t('runs.memory', { now: mib(memory.nowMb), most }),
      ];
    },
  };
}

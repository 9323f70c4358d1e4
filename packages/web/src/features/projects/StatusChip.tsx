import type { ProjectStatus } from '@aizuchi/shared/contract/project';
import { useTranslation } from 'react-i18next';
import { Chip } from '../../components/Chip.tsx';

export function StatusChip({ status }: { readonly status: ProjectStatus }) {
  const { t } = useTranslation();
  return <Chip tone={status === 'paused' ? 'amber' : 'neutral'}>{t(`projects.status.${status}`)}</Chip>;
}

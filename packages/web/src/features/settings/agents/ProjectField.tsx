import type { Project } from '@aizuchi/shared/contract/project';
import { useTranslation } from 'react-i18next';
import { Field, Select } from '../../../components/Field.tsx';

interface ProjectFieldProps {
  /** Empty: none. */
  readonly projectId: string;
  readonly projects: readonly Project[];
  readonly onChange: (projectId: string) => void;
}

/** The project that a new agent joins. */
export function ProjectField({ projectId, projects, onChange }: ProjectFieldProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('settings.joins')} hint={t('settings.joinsHint')}>
      {(control) => (
        <Select
          {...control}
          value={projectId}
          onChange={(event) => onChange(event.target.value)}
          data-testid="agent-project"
        >
          <option value="">{t('settings.noProject')}</option>
          {projects.map((project) => (
            <option key={project.id} value={project.id}>
              {project.name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

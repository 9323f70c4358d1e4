import type { Project } from '@aizuchi/shared/contract/project';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Field, Select } from '../../components/Field.tsx';
import { membersQuery, meQuery } from '../../lib/queries/queries.ts';

/** Who looks at what agents report as done: nobody, a member, or the owner who chooses. */
export function ReviewerField({ project }: { readonly project: Project }) {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { data: members } = useQuery(membersQuery(project.id));
  const chosen = project.reviewerId ?? '';
  // A viewer cannot move tasks.
  const reviewing = (members ?? []).filter(({ accessLevel }) => accessLevel !== 'viewer');
  const names = new Map(reviewing.map(({ id, name }) => [id, name]));
  if (me?.accessLevel === 'owner') names.set(me.id, me.name);
  // Another owner, who is no member; or the members are not loaded yet.
  if (chosen !== '' && !names.has(chosen)) names.set(chosen, chosen);
  return (
    <Field label={t('projects.rules.reviewer')} hint={t('projects.rules.reviewerHint')}>
      {(control) => (
        <Select
          {...control}
          key={names.size}
          name="reviewerId"
          defaultValue={chosen}
          data-testid="project-reviewer"
        >
          <option value="">{t('projects.rules.nobody')}</option>
          {[...names].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

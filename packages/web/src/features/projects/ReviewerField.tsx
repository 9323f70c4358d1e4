import type { Project } from '@aizuchi/shared/contract/project';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Select } from '../../components/Field.tsx';
import { membersQuery, meQuery } from '../../lib/queries/queries.ts';

/** Who looks at what agents report as done: nobody, a member, or the owner who chooses. */
export function ReviewerField({ project }: { readonly project: Project }) {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { data: members } = useQuery(membersQuery(project.id));
  const [own, setOwn] = useState<string>();
  // What a person has chosen and not saved yet stays when the members are read (again).
  const chosen = own ?? project.reviewerId ?? '';
  // A viewer cannot move tasks.
  const reviewing = (members ?? []).filter(({ accessLevel }) => accessLevel !== 'viewer');
  const names = new Map(reviewing.map(({ id, name }) => [id, name]));
  if (me?.accessLevel === 'owner') names.set(me.id, me.name);
  // Another owner, who is no member; or the members are not loaded yet.
  if (chosen !== '' && !names.has(chosen)) names.set(chosen, chosen);
  return (
    <Field label={t('projectRules.reviewer')} hint={t('projectRules.reviewerHint')}>
      {(control) => (
        <Select
          {...control}
          name="reviewerId"
          value={chosen}
          onChange={({ target }) => setOwn(target.value)}
          data-testid="project-reviewer"
        >
          <option value="">{t('projectRules.nobody')}</option>
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

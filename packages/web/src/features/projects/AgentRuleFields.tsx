import type { Project } from '@aizuchi/shared/contract/project';
import { useTranslation } from 'react-i18next';

export const POLICIES: readonly Project['permissionPolicy'][] = ['ask', 'allow_edits', 'deny'];
export const ISOLATIONS: readonly Project['isolation'][] = ['shared', 'worktree'];

/** What agents of the project may do without asking, and where they work. */
export function AgentRuleFields({ project }: { readonly project: Project }) {
  const { t } = useTranslation();
  return (
    <>
      <Choices
        // What somebody else has changed is shown: a form that shows the old value would bring it back.
        key={`permissionPolicy ${project.permissionPolicy}`}
        name="permissionPolicy"
        legend={t('projectRules.permissionPolicy')}
        chosen={project.permissionPolicy}
        choices={POLICIES.map((value) => ({
          value,
          label: t(`projectRules.policy.${value}`),
          hint: t(`projectRules.policyHint.${value}`),
        }))}
      />
      <Choices
        key={`isolation ${project.isolation}`}
        name="isolation"
        legend={t('projectRules.isolation')}
        chosen={project.isolation}
        choices={ISOLATIONS.map((value) => ({
          value,
          label: t(`projectRules.place.${value}`),
          hint: t(`projectRules.placeHint.${value}`),
        }))}
      />
    </>
  );
}

interface ChoicesProps {
  readonly name: string;
  readonly legend: string;
  readonly chosen: string;
  readonly choices: readonly {
    readonly value: string;
    readonly label: string;
    /** One sentence: what it means. */
    readonly hint: string;
  }[];
}

/** Radio buttons, each with what it means. */
export function Choices({ name, legend, chosen, choices }: ChoicesProps) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-12 font-medium text-ink-2">{legend}</legend>
      <div className="divide-y divide-line rounded-md border border-line">
        {choices.map(({ value, label, hint }) => (
          <label
            key={value}
            className="grid grid-cols-[16px_minmax(0,1fr)] items-start gap-x-2 px-3 py-2 cursor-pointer hover:bg-hover"
          >
            <input
              type="radio"
              name={name}
              value={value}
              defaultChecked={value === chosen}
              className="mt-0.5 size-4 accent-accent"
            />
            <span className="text-13 font-medium">{label}</span>
            <span className="col-start-2 text-12 text-pretty text-ink-2">{hint}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task } from '@aizuchi/shared/contract/task';
import { type ReactNode, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { BOARD_VIEWS, DUE_FILTERS } from './board-search.ts';
import type { TaskFilter } from './filter-tasks.ts';
import type { TaskFilterState } from './use-task-filter.ts';

export interface FilterBarProps {
  readonly state: TaskFilterState;
  /** All of the project: their labels are offered. */
  readonly tasks: readonly Task[];
  readonly members: readonly Agent[];
}

const CONTROL =
  'h-7 min-w-0 rounded-md border border-line-strong bg-surface px-1.5 text-12 text-ink pointer-coarse:h-9 pointer-coarse:text-16';

/** Shorter than a person notices, longer than most take to the next letter. */
const TYPING_PAUSE_MS = 150;

/** Chooses which tasks are shown, and how: in columns, by agent, or only what does not go on. */
export function FilterBar({ state, tasks, members }: FilterBarProps) {
  const { t } = useTranslation();
  const { filter, view, count, me } = state;
  const [clears, setClears] = useState(0);
  const find = useFind((text) => state.change(withValue(filter, 'find', text)));
  const clear = () => {
    find(undefined);
    setClears(clears + 1);
    state.change({});
  };
  return (
    <search
      aria-label={t('task.filter.title')}
      data-testid="task-filter"
      className="flex flex-none flex-wrap items-center gap-2 border-b border-line px-4 py-1.5"
    >
      <fieldset className="flex items-center gap-1">
        <legend className="sr-only">{t('task.filter.view')}</legend>
        {[undefined, ...BOARD_VIEWS].map((one) => (
          <Button
            key={one ?? 'columns'}
            size="sm"
            variant={view === one ? 'default' : 'quiet'}
            aria-pressed={view === one}
            data-testid={`board-view-${one ?? 'columns'}`}
            onClick={() => state.setView(one)}
          >
            {t(`task.filter.views.${one ?? 'columns'}`)}
          </Button>
        ))}
      </fieldset>
      <Button
        size="sm"
        variant={filter.who === 'me' ? 'default' : 'quiet'}
        aria-pressed={filter.who === 'me'}
        data-testid="filter-mine"
        disabled={me === undefined}
        onClick={() => state.change(withValue(filter, 'who', filter.who === 'me' ? '' : 'me'))}
      >
        {t('task.filter.mine')}
      </Button>
      <input
        // The address is changed a moment later: the letters are kept here, until somebody clears the filter.
        key={clears}
        type="search"
        aria-label={t('task.filter.find')}
        placeholder={t('task.filter.find')}
        data-testid="filter-find"
        maxLength={200}
        defaultValue={filter.find ?? ''}
        onChange={({ target }) => find(target.value)}
        className={`${CONTROL} w-40`}
      />
      <Who filter={filter} members={members} onChange={state.change} />
      <Label filter={filter} tasks={tasks} onChange={state.change} />
      <Choice
        name="due"
        value={filter.due ?? ''}
        label={t('task.filter.due')}
        onChange={(due) => state.change(withValue(filter, 'due', due))}
      >
        {DUE_FILTERS.map((due) => (
          <option key={due} value={due}>
            {t(`task.filter.dues.${due}`)}
          </option>
        ))}
      </Choice>
      {count > 0 && (
        <Button size="sm" variant="quiet" icon="close" data-testid="filter-clear" onClick={clear}>
          {t('task.filter.clear')}
        </Button>
      )}
    </search>
  );
}

/** Finds when the person pauses: with each letter the address would change, and all that reads it be rendered. */
function useFind(find: (text: string) => void): (text: string | undefined) => void {
  const [typed, setTyped] = useState<string>();
  const findTyped = useEffectEvent((text: string) => {
    setTyped(undefined);
    find(text);
  });
  useEffect(() => {
    if (typed === undefined) return;
    const timer = setTimeout(() => findTyped(typed), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return setTyped;
}

interface FieldProps {
  readonly filter: TaskFilter;
  readonly onChange: (filter: TaskFilter) => void;
}

function Who({ filter, members, onChange }: FieldProps & { readonly members: readonly Agent[] }) {
  const { t } = useTranslation();
  return (
    <Choice
      name="who"
      value={filter.who ?? ''}
      label={t('board.assignee')}
      onChange={(who) => onChange(withValue(filter, 'who', who))}
    >
      <option value="me">{t('task.filter.me')}</option>
      <option value="none">{t('board.nobody')}</option>
      {members.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Choice>
  );
}

function Label({ filter, tasks, onChange }: FieldProps & { readonly tasks: readonly Task[] }) {
  const { t } = useTranslation();
  const labels = useMemo(() => [...new Set(tasks.flatMap((task) => task.labels))].sort(), [tasks]);
  if (labels.length === 0 && filter.label === undefined) return null;
  return (
    <Choice
      name="label"
      value={filter.label ?? ''}
      label={t('task.filter.label')}
      onChange={(label) => onChange(withValue(filter, 'label', label))}
    >
      {filter.label !== undefined && !labels.includes(filter.label) && <option>{filter.label}</option>}
      {labels.map((label) => (
        <option key={label}>{label}</option>
      ))}
    </Choice>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly label: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
}

/** A list whose first entry, its own name, means everything. */
function Choice({ name, value, label, onChange, children }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      data-testid={`filter-${name}`}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      className={`${CONTROL} max-w-40`}
    >
      <option value="">{label}</option>
      {children}
    </select>
  );
}

/** An empty value is none. */
function withValue(filter: TaskFilter, key: keyof TaskFilter, value: string): TaskFilter {
  const { [key]: _before, ...rest } = filter;
  return value === '' ? rest : { ...rest, [key]: value };
}

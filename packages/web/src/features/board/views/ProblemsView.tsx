import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { PROBLEM_KINDS, problemsOf } from './problems.ts';
import type { ViewProps } from './view-props.ts';

/** What does not go on by itself: what asks a person, what fails, what is blocked, what is late. */
export function ProblemsView({ tasks, strips, today, renderCard }: ViewProps & { readonly today: string }) {
  const { t } = useTranslation();
  const problems = problemsOf(tasks, strips, today);
  if (PROBLEM_KINDS.every((kind) => problems[kind].length === 0))
    return (
      <div className="p-5">
        <EmptyState icon="done" title={t('task.problems.noneTitle')}>
          {t('task.problems.noneText')}
        </EmptyState>
      </div>
    );
  return (
    <div data-testid="board-problems" className="flex flex-col gap-5 p-4">
      {PROBLEM_KINDS.map((kind) => (
        <Group key={kind} title={t(`task.problems.${kind}`)} count={problems[kind].length}>
          {problems[kind].map(renderCard)}
        </Group>
      ))}
    </div>
  );
}

interface GroupProps {
  readonly title: string;
  readonly count: number;
  readonly children: ReactNode;
}

function Group({ title, count, children }: GroupProps) {
  if (count === 0) return null;
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h2 className="flex items-center gap-2 text-12 font-semibold">
        {title}
        <span className="num font-normal text-ink-3">{count}</span>
      </h2>
      <ul data-long className="grid grid-cols-[repeat(auto-fill,minmax(220px,1fr))] items-start gap-2">
        {children}
      </ul>
    </section>
  );
}

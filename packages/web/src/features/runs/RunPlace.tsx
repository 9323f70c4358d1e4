import type { Run } from '@aizuchi/shared/contract/run';
import { useQuery } from '@tanstack/react-query';
import { placePollMs } from './place-poll.ts';
import { usePlaceText } from './use-place-text.ts';
import { runQuery } from './use-runs.ts';

/** One line: where the run lives, with which limits, and what it needs. */
export function RunPlace({ run }: { readonly run: Run }) {
  const isLive = run.state !== 'exited';
  const { data } = useQuery({
    ...runQuery(run.projectId, run.id),
    enabled: isLive,
    refetchInterval: ({ state }) => placePollMs(state.data, Date.now()),
  });
  const { where, details, memory } = usePlaceText();
  const shown = isLive ? (data ?? run) : run;
  const parts = [...where(shown), ...details(shown), ...memory(shown)];
  if (parts.length === 0) return null;
  return (
    <p
      data-testid="run-place"
      className="num flex-none border-b border-line px-4 py-1.5 text-12 text-ink-2 wrap-anywhere"
    >
      {parts.join(' · ')}
    </p>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { tasksQuery } from '../../lib/queries/queries.ts';
import { StatusIcon } from '../board/card/StatusIcon.tsx';
import { Group, Item } from './CommandItems.tsx';

/** A board may have a thousand tasks; with more results than this a person types more. */
const MAX_RESULTS = 8;

interface TaskCommandsProps {
  readonly projectId: string;
  /** What is searched for; while it is empty no tasks are listed. */
  readonly words: string;
  readonly run: (action: () => unknown) => () => void;
}

/** The tasks of the open project whose title contains the words. */
export function TaskCommands({ projectId, words, run }: TaskCommandsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: tasks = [] } = useQuery(tasksQuery(projectId));
  const query = words.trim().toLowerCase();
  const found =
    query === ''
      ? []
      : tasks.filter(({ id, title }) => `${title} ${id}`.toLowerCase().includes(query)).slice(0, MAX_RESULTS);
  if (found.length === 0) return null;
  return (
    <Group heading={t('board.task')}>
      {found.map(({ id, title, status }) => (
        <Item
          key={id}
          value={`${title} ${id}`}
          before={<StatusIcon status={status} />}
          onSelect={run(() =>
            navigate({
              to: '/projects/$projectId',
              params: { projectId },
              search: ({ agent }) => ({ ...(agent !== undefined && { agent }), task: id }),
            }),
          )}
        >
          {title}
        </Item>
      ))}
    </Group>
  );
}

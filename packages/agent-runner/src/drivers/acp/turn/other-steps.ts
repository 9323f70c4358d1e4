import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Step } from '../../../turn-events.ts';
import type { AcpTexts } from '../texts/texts-shape.ts';

type Update<K extends SessionUpdate['sessionUpdate']> = Extract<SessionUpdate, { sessionUpdate: K }>;
type Texts = AcpTexts['steps'];

const MAX_NOTICE_TITLE_LENGTH = 120;
const MARKS = { completed: '[x]', in_progress: '[>]', pending: '[ ]' } as const;

export function planStep({ entries }: Update<'plan'>, { plan: title }: Texts): Step {
  const isDone = entries.every(({ status }) => status === 'completed');
  const detail = entries.map(({ status, content }) => `${MARKS[status]} ${content}`).join('\n');
  return { id: 'plan', kind: 'other', title, status: isDone ? 'done' : 'running', detail };
}

/** What the program says to its user. `count`: makes it different from the others of the turn. */
export function noticeStep(said: string, description: string, count: number): Step {
  const plain = said.replaceAll('**', '').trim();
  const [line = ''] = plain.split('\n', 1);
  const title =
    line.length <= MAX_NOTICE_TITLE_LENGTH ? line : `${line.slice(0, MAX_NOTICE_TITLE_LENGTH - 1)}…`;
  const detail = [plain === title ? '' : plain, description.trim()].filter(Boolean).join('\n\n');
  const step: Step = { id: `notice-${count}`, kind: 'other', title, status: 'done' };
  return detail === '' ? step : { ...step, detail };
}

export function compactionStep(
  { compactionId, status, error }: Update<'compaction_update'>,
  { compacting, compacted }: Texts,
): Step {
  const step = { id: `compaction-${compactionId}`, kind: 'other' } as const;
  if (status === 'in_progress') return { ...step, title: compacting, status: 'running' };
  if (status === 'completed') return { ...step, title: compacted, status: 'done' };
  return { ...step, title: compacting, status: 'failed', ...(error && { detail: error }) };
}

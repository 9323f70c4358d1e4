import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { useTranslation } from 'react-i18next';
import { initialOf } from '../../components/initial.ts';
import { useNow } from '../../lib/time.ts';
import { agentLinks, layOut } from './conversation-graph.ts';

interface ConversationGraphProps {
  readonly conversations: readonly Conversation[];
  readonly nameOf: (agentId: string) => string;
}

/**
 * The conversations between agents as a graph: agents on a line, an arc for each pair. The list below has the same
 * information in words.
 */
export function ConversationGraph({ conversations, nameOf }: ConversationGraphProps) {
  const { t } = useTranslation();
  const { nodes, arcs } = layOut(agentLinks(conversations, useNow(60_000)));
  if (arcs.length === 0) return null;
  const words = arcs
    .map(({ from, to, messages }) =>
      t('conversations.graphLink', { one: nameOf(from), other: nameOf(to), count: messages }),
    )
    .join(t('conversations.graphComma'));
  return (
    <section className="border-b border-line px-4 py-3">
      <h2 className="flex gap-2 text-12 font-semibold">
        {t('conversations.graph')}
        <span className="font-normal text-ink-2">{t('conversations.graphSpan')}</span>
      </h2>
      <svg viewBox="0 0 312 148" role="img" aria-label={words} className="mx-auto block w-full max-w-[312px]">
        {arcs.map(({ from, to, path, live }) => (
          <path
            key={`${from} ${to}`}
            d={path}
            fill="none"
            strokeWidth={live ? 2 : 1.5}
            className={live ? 'stroke-accent' : 'stroke-line-strong'}
          />
        ))}
        {arcs.map(({ from, to, x, y, messages, live }) => (
          <g key={`${from} ${to}`}>
            <rect x={x - 11} y={y - 8} width="22" height="16" className="fill-canvas" />
            <text
              x={x}
              y={y + 4}
              textAnchor="middle"
              className={live ? 'fill-accent-ink text-11 font-semibold' : 'fill-ink-2 text-11 font-medium'}
            >
              {messages}
            </text>
          </g>
        ))}
        {nodes.map(({ id, x }) => (
          <g key={id}>
            <circle cx={x} cy="104" r="14" className="fill-hover stroke-line-strong" />
            <text x={x} y="108" textAnchor="middle" className="fill-ink text-11 font-semibold">
              {initialOf(nameOf(id))}
            </text>
            <text x={x} y="140" textAnchor="middle" className="fill-ink-2 text-11 font-medium">
              {short(nameOf(id), 240 / nodes.length)}
            </text>
          </g>
        ))}
      </svg>
    </section>
  );
}

/** As much of a name as fits under its circle; a wide character counts as two. */
function short(name: string, width: number): string {
  let used = 0;
  let out = '';
  for (const character of name) {
    used += character > '\u2e80' ? 11 : 6;
    if (used > width) return `${out}…`;
    out += character;
  }
  return out;
}

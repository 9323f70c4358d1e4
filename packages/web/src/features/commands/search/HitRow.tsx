import type { SearchItem } from '@aizuchi/shared/contract/search';
import { Command } from 'cmdk';
import { Avatar } from '../../../components/Avatar.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { StatusIcon } from '../../board/card/StatusIcon.tsx';
import { rowPart } from './hits.ts';
import { LegBars } from './legs.tsx';
import { Marked } from './Marked.tsx';
import type { HitTexts } from './use-hit-texts.ts';

interface HitRowProps {
  readonly item: SearchItem;
  /** See hits.ts. */
  readonly value: string;
  readonly texts: HitTexts;
  readonly hasVectors: boolean;
  readonly onSelect: () => void;
}

/** One line: what it is, the text around the first mark, who and when, and what found it. */
export function HitRow({ item, value, texts, hasVectors, onSelect }: HitRowProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      data-testid={`hit-${item.kind}-${item.id}`}
      className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md border border-transparent px-2.5 py-1 text-13 data-[selected=true]:border-accent-line data-[selected=true]:bg-accent-soft pointer-coarse:min-h-11"
    >
      <span className="grid w-5 flex-none place-items-center text-ink-3">
        <HitIcon item={item} texts={texts} />
      </span>
      <span className="flex min-w-0 flex-1 items-center gap-x-2.5 max-sm:flex-col max-sm:items-start">
        <span className="min-w-0 flex-1 truncate max-sm:w-full">
          <HitLine item={item} texts={texts} />
        </span>
        <span className="num w-32 flex-none truncate text-right text-11 text-ink-3 max-sm:w-full max-sm:text-left">
          {texts.meta(item)}
        </span>
        <span className="w-[136px] flex-none max-sm:hidden">
          <LegBars hitSources={item.hitSources} hasVectors={hasVectors} />
        </span>
      </span>
    </Command.Item>
  );
}

function HitIcon({ item, texts }: Pick<HitRowProps, 'item' | 'texts'>) {
  if (item.kind === 'task') return <StatusIcon status={item.status ?? 'backlog'} />;
  if (item.kind === 'chat')
    return <Avatar name={texts.who(item)} type={item.saidBy === undefined ? 'ai' : 'human'} size={20} />;
  return <Icon name={item.kind === 'memory' ? 'book' : 'talk'} size={14} />;
}

function HitLine({ item, texts }: Pick<HitRowProps, 'item' | 'texts'>) {
  const title = texts.title(item);
  if (title === '') return <Marked {...rowPart(item.text, item.marks)} />;
  return (
    <>
      <Marked text={title} marks={item.titleMarks} />
      {item.marks.length > 0 && (
        <span className="ml-2 text-ink-3">
          <Marked {...rowPart(item.text, item.marks)} />
        </span>
      )}
    </>
  );
}

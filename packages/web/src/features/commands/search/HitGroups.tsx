import type { SearchItem } from '@aizuchi/shared/contract/search';
import { useTranslation } from 'react-i18next';
import { Group } from '../CommandItems.tsx';
import { HitRow } from './HitRow.tsx';
import type { Counts, HitGroup } from './hits.ts';
import type { HitTexts } from './use-hit-texts.ts';

interface HitGroupsProps {
  readonly groups: readonly HitGroup[];
  readonly counts: Counts;
  readonly nameOf: (item: SearchItem) => string;
  readonly texts: HitTexts;
  readonly hasVectors: boolean;
  readonly onSelect: (item: SearchItem) => void;
}

export function HitGroups({ groups, counts, nameOf, texts, hasVectors, onSelect }: HitGroupsProps) {
  const { t } = useTranslation();
  return groups.map(({ kind, items }) => (
    <Group key={kind} heading={`${t(`search.kind.${kind}`)} ${counts[kind]}`}>
      {items.map((item) => (
        <HitRow
          key={item.id}
          item={item}
          value={nameOf(item)}
          texts={texts}
          hasVectors={hasVectors}
          onSelect={() => onSelect(item)}
        />
      ))}
    </Group>
  ));
}

import type { SearchItem } from '@aizuchi/shared/contract/search';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Chip } from '../../../components/Chip.tsx';
import { KeyCap } from '../../../components/KeyCap.tsx';
import { joined } from '../../../lib/joined.ts';
import { exactTime } from '../../../lib/time.ts';
import { LegList } from './legs.tsx';
import { Marked } from './Marked.tsx';
import type { HitTexts } from './use-hit-texts.ts';
import { hasPlace } from './use-open-hit.ts';

interface HitPreviewProps {
  readonly item: SearchItem;
  readonly texts: HitTexts;
  readonly hasVectors: boolean;
  readonly onOpen: () => void;
  /** Where the preview has the list's place: back to it. */
  readonly onBack?: () => void;
}

/** The whole text of a hit, and why it was found. */
export function HitPreview({ item, texts, hasVectors, onOpen, onBack }: HitPreviewProps) {
  const { t, i18n } = useTranslation();
  const title = texts.title(item);
  const at = exactTime(new Date(item.createdAt), i18n.language);
  return (
    <aside
      aria-label={t('search.preview')}
      data-testid="hit-preview"
      className="flex min-h-0 min-w-0 flex-1 flex-col gap-4 overflow-y-auto bg-canvas p-4"
    >
      {onBack && (
        <Button size="sm" icon="chevronLeft" className="self-start" autoFocus onClick={onBack}>
          {t('search.back')}
        </Button>
      )}
      <div className="flex flex-col gap-2">
        <p className="flex flex-wrap items-center gap-2">
          <Chip>{texts.kind(item)}</Chip>
          <span className="num text-12 text-ink-3">
            {joined([at, item.kind !== 'task' && texts.who(item)])}
          </span>
        </p>
        {title !== '' && (
          <p className="text-14 font-semibold wrap-anywhere">
            <Marked text={title} marks={item.titleMarks} />
          </p>
        )}
        {item.text !== '' && (
          <p className="text-14 leading-message wrap-anywhere whitespace-pre-wrap">
            <Marked text={item.text} marks={item.marks} />
          </p>
        )}
      </div>
      {item.hitSources.length > 0 && (
        <div>
          <h3 className="mb-2 text-12 font-semibold">{t('search.why')}</h3>
          <LegList hitSources={item.hitSources} hasVectors={hasVectors} />
        </div>
      )}
      <span className="flex-1" />
      {hasPlace(item) ? (
        <Button variant="primary" className="self-start" onClick={onOpen}>
          {t(item.kind === 'memory' ? 'search.openSource' : `search.open.${item.kind}`)}
          {!onBack && <KeyCap>↵</KeyCap>}
        </Button>
      ) : (
        <p className="text-12 text-ink-3">{t('search.noPlace')}</p>
      )}
    </aside>
  );
}

import clsx from 'clsx';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Revealed } from '../../components/Revealed.tsx';
import { useStore } from '../../lib/store.ts';
import { RefusalNote } from './RefusalNote.tsx';
import { refusalStore } from './refusal-store.ts';
import type { useDecide } from './use-approvals.ts';

interface ApprovalActionsProps {
  readonly id: string;
  /** The element that shows what would be done. */
  readonly inputId: string;
  /** What "for this session" would allow, as the agent says it. */
  readonly sessionScope: string | undefined;
  readonly decision: ReturnType<typeof useDecide>;
}

/** Allow once, allow for this session, deny with a note. */
export function ApprovalActions({ id, inputId, sessionScope, decision }: ApprovalActionsProps) {
  const { t } = useTranslation();
  const store = refusalStore(id);
  const refusal = useStore(store);
  const scopeId = useId();
  const deny = useRef<HTMLButtonElement>(null);
  const [isEnterRefused, setIsEnterRefused] = useState(false);
  const { decide, isSending, sent } = decision;
  const close = () => {
    store.set({ ...refusal, isOpen: false });
    deny.current?.focus();
  };
  // Enter may be the last key of a text that a person was writing somewhere else.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    setIsEnterRefused(true);
  };
  const allow = (what: 'allow_once' | 'allow_session') => ({
    disabled: isSending,
    isBusy: sent === what,
    'aria-describedby': inputId,
    onKeyDown,
    onClick: () => decide({ decision: what }),
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-3 py-3">
        <Button variant="amber" data-testid={`approval-allow-once-${id}`} {...allow('allow_once')}>
          {t('approvals.allowOnce')}
        </Button>
        <Button
          data-testid={`approval-allow-session-${id}`}
          {...allow('allow_session')}
          aria-describedby={sessionScope === undefined ? inputId : `${inputId} ${scopeId}`}
        >
          {t('approvals.allowSession')}
        </Button>
        <Button
          ref={deny}
          data-testid={`approval-deny-${id}`}
          aria-expanded={refusal.isOpen}
          disabled={isSending}
          className={clsx('ml-auto', refusal.isOpen && 'bg-hover')}
          onClick={() => (refusal.isOpen ? close() : store.set({ ...refusal, isOpen: true }))}
        >
          {t('approvals.deny')}
        </Button>
      </div>
      {sessionScope !== undefined && (
        <p
          id={scopeId}
          data-testid={`approval-session-scope-${id}`}
          className="others-text -mt-1 px-3 pb-2.5 text-12 text-pretty wrap-anywhere text-ink-2"
        >
          {t('approvals.sessionScope')}
          {t('approvals.separator')}
          <Revealed text={sessionScope} />
        </p>
      )}
      {refusal.isOpen && (
        <RefusalNote
          id={id}
          note={refusal.note}
          isSending={isSending}
          onChange={(note) => store.set({ isOpen: true, note })}
          onBack={close}
          onDeny={() => {
            const note = refusal.note.trim();
            decide({ decision: 'deny', ...(note !== '' && { note }) });
          }}
        />
      )}
      <p role="status" className="px-3 text-12 text-ink-2 not-empty:-mt-1 not-empty:pb-2.5">
        {isSending ? t('approvals.sending') : isEnterRefused && t('approvals.pressSpace')}
      </p>
    </>
  );
}

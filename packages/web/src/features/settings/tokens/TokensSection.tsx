import type { AccessToken } from '@aizuchi/shared/contract/auth';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { ConfirmDialog } from '../../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../../components/EmptyState.tsx';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Panel, ReadingPage } from '../../../components/Panel.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { Time } from '../../../components/Time.tsx';
import { callApi } from '../../../lib/api/call-api.ts';
import { keys } from '../../../lib/queries/keys.ts';
import { exactTime } from '../../../lib/time.ts';
import { CreateTokenDialog } from './CreateTokenDialog.tsx';

/** A person has few tokens: the first page holds all of them. */
const tokensQuery = () =>
  queryOptions({
    queryKey: keys.tokens,
    queryFn: async ({ signal }) => (await callApi('listTokens', { query: { limit: 200 }, signal })).tokens,
  });

/** Named tokens for programs that speak to the API as this person. */
export function TokensSection() {
  const { t } = useTranslation();
  const { data: tokens, error, refetch } = useQuery(tokensQuery());
  const [isCreating, setIsCreating] = useState(false);
  const createButton = (
    <Button variant="primary" icon="plus" data-testid="token-new" onClick={() => setIsCreating(true)}>
      {t('settings.addToken')}
    </Button>
  );
  return (
    <ReadingPage title={t('app.settingsSection.tokens')} aside={tokens?.length !== 0 && createButton}>
      <p className="-mt-4 text-13 text-pretty text-ink-2">
        {t('settings.tokensIntro')}{' '}
        <a href="/api/docs" className="text-accent-ink underline">
          {t('settings.apiDocs')}
        </a>
      </p>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {!tokens && !error && <PhaseLine>{t('common.loading')}</PhaseLine>}
      {tokens?.length === 0 && (
        <EmptyState icon="key" title={t('settings.noTokensTitle')} action={createButton}>
          {t('settings.noTokensText')}
        </EmptyState>
      )}
      {tokens && tokens.length > 0 && (
        <Panel>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} />
          ))}
        </Panel>
      )}
      {isCreating && <CreateTokenDialog onClose={() => setIsCreating(false)} />}
    </ReadingPage>
  );
}

function TokenRow({ token }: { readonly token: AccessToken }) {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const revoke = useMutation({
    mutationFn: () => callApi('deleteToken', { params: { tokenId: token.id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.tokens }),
  });
  return (
    <div data-testid={`token-${token.id}`} className="flex min-h-14 items-center gap-3 py-2 pr-3 pl-4">
      <div className="min-w-0 flex-1">
        <p className="truncate text-13 font-medium">{token.name}</p>
        <p className="text-12 text-ink-2">
          {t('board.created')} <Time at={token.createdAt} /> ·{' '}
          {token.lastUsedAt === undefined ? (
            t('settings.neverUsed')
          ) : (
            <>
              {t('settings.lastUsed')} <Time at={token.lastUsedAt} />
            </>
          )}{' '}
          ·{' '}
          {token.expiresAt === undefined
            ? t('settings.noExpiry')
            : t('settings.expires', { at: exactTime(new Date(token.expiresAt), i18n.language) })}
        </p>
      </div>
      <Button variant="danger" size="sm" onClick={() => setIsAsked(true)}>
        {t('settings.revoke')}
      </Button>
      <ConfirmDialog
        open={isAsked}
        onOpenChange={setIsAsked}
        title={t('settings.revokeTitle', { name: token.name })}
        confirmLabel={t('settings.revoke')}
        isBusy={revoke.isPending}
        onConfirm={() => revoke.mutate()}
      >
        <p>{t('settings.revokeText')}</p>
        {revoke.error && <ErrorNote error={revoke.error} className="mt-3" />}
      </ConfirmDialog>
    </div>
  );
}

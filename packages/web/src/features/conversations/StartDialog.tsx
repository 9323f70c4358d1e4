import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../components/Dialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Field, Select, TextArea } from '../../components/Field.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { membersQuery } from '../../lib/queries/queries.ts';

/**
 * A conversation is begun by an agent, never by a person: this asks the first one in its chat, in words that every
 * kind of agent understands, and opens that chat.
 */
export function StartDialog({
  projectId,
  onClose,
}: {
  readonly projectId: string;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: members = [] } = useQuery(membersQuery(projectId));
  const agents = members.filter(({ type }) => type === 'ai');
  const [askedId, setAsked] = useState<string>();
  const [otherId, setOther] = useState<string>();
  const [about, setAbout] = useState('');
  const asked = agents.find(({ id }) => id === askedId) ?? agents[0];
  const others = agents.filter(({ id }) => id !== asked?.id);
  const other = others.find(({ id }) => id === otherId) ?? others[0];
  const ask = useMutation({
    mutationFn: async () => {
      if (!asked || !other) return;
      const content = t('conversations.request', { name: other.name, id: other.id, about: about.trim() });
      const params = { pid: projectId, aid: asked.id };
      await callApi('postMessage', { params, body: { content, clientMessageId: crypto.randomUUID() } });
      onClose();
      await navigate({ to: '.', search: (search) => ({ ...search, agent: asked.id }) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ask.isPending && about.trim() !== '') ask.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('conversations.start')}
      description={t('conversations.startHint')}
      testId="conversation-start"
    >
      <form onSubmit={submit}>
        <DialogBody>
          {other === undefined && <p className="text-13 text-ink-2">{t('conversations.needTwo')}</p>}
          <Field label={t('conversations.who')}>
            {(control) => (
              <Select {...control} value={asked?.id ?? ''} onChange={(event) => setAsked(event.target.value)}>
                {agents.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field label={t('conversations.withWhom')}>
            {(control) => (
              <Select {...control} value={other?.id ?? ''} onChange={(event) => setOther(event.target.value)}>
                {others.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field label={t('conversations.about')}>
            {(control) => (
              <TextArea
                {...control}
                required
                maxLength={2_000}
                autoFocus
                value={about}
                onChange={(event) => setAbout(event.target.value)}
              />
            )}
          </Field>
          {ask.error && <ErrorNote error={ask.error} />}
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="submit" variant="primary" isBusy={ask.isPending} disabled={other === undefined}>
            {t('conversations.ask')}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

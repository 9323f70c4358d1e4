import type { Agent } from '@aizuchi/shared/contract/agent';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Dialog, DialogBody, DialogFoot } from '../../components/Dialog.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Field, Select, TextArea } from '../../components/Field.tsx';
import { forgetError } from '../../lib/form.ts';
import { useStartRequest } from './use-start-request.ts';

interface StartDialogProps {
  readonly projectId: string;
  readonly onClose: () => void;
}

/** Asks one agent to begin a conversation with another one. */
export function StartDialog({ projectId, onClose }: StartDialogProps) {
  const { t } = useTranslation();
  const { agents, initiator, others, participant, topic, request, ...start } = useStartRequest(
    projectId,
    onClose,
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('conversations.start')}
      description={t('conversations.startHint')}
      testId="conversation-start"
    >
      <form onSubmit={start.submit} onChange={forgetError(request)}>
        <DialogBody>
          {participant === undefined && <p className="text-13 text-ink-2">{t('conversations.needTwo')}</p>}
          <AgentField
            label={t('conversations.who')}
            agents={agents}
            chosen={initiator}
            onChoose={start.setInitiatorId}
          />
          <AgentField
            label={t('conversations.withWhom')}
            agents={others}
            chosen={participant}
            onChoose={start.setParticipantId}
          />
          <Field label={t('conversations.about')}>
            {(control) => (
              <TextArea
                {...control}
                required
                maxLength={2_000}
                autoFocus
                value={topic}
                onChange={(event) => start.setTopic(event.target.value)}
              />
            )}
          </Field>
          {request.error && <ErrorNote error={request.error} />}
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            type="submit"
            variant="primary"
            isBusy={request.isPending}
            disabled={participant === undefined}
          >
            {t('conversations.ask')}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

interface AgentFieldProps {
  readonly label: string;
  readonly agents: readonly Agent[];
  readonly chosen: Agent | undefined;
  readonly onChoose: (agentId: string) => void;
}

function AgentField({ label, agents, chosen, onChoose }: AgentFieldProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Select {...control} value={chosen?.id ?? ''} onChange={(event) => onChoose(event.target.value)}>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

import { withTexts } from '../../lib/i18n.ts';
import { lateComponent } from '../../lib/late-component.ts';
import { useCaptureRequests } from './use-capture-requests.ts';

/** Few agents ask: loaded when the first one does. */
const CaptureCard = lateComponent(async () => (await loadCard()).CaptureCard);
const loadCard = withTexts(() => import('./CaptureCard.tsx'));

interface CaptureCardsProps {
  readonly projectId: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly personId: string;
}

/** What the agent asks this person to show. Nobody else is asked, so the cards do not stand among the messages. */
export function CaptureCards({ projectId, agentId, agentName, personId }: CaptureCardsProps) {
  const requests = useCaptureRequests(projectId, agentId, personId);
  if (requests.length === 0) return null;
  return (
    <div className="flex max-h-[50%] flex-none flex-col gap-2 overflow-y-auto px-3 pb-2">
      {requests.map((request, index) => (
        <CaptureCard
          key={request.id}
          request={request}
          agentName={agentName}
          personId={personId}
          takesPaste={index === 0}
        />
      ))}
    </div>
  );
}

import type { Project } from '@aizuchi/shared/contract/project';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, lazyRouteComponent } from '@tanstack/react-router';
import { Suspense } from 'react';
import { withChat, withoutNewAgent } from '../../lib/chat-search.ts';
import { withTexts } from '../../lib/i18n.ts';
import { meQuery } from '../../lib/queries/queries.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

const AddAgentDialog = lazyRouteComponent(
  withTexts(() => import('../settings/agents/AddAgentDialog.tsx')),
  'AddAgentDialog',
);

/** `?add=agent`: the dialog that adds an agent to this project, and then opens its chat. */
export function AddAgentHere({ project }: { readonly project: Project }) {
  const { add } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: me } = useQuery(meQuery());
  if (add !== 'agent' || me?.accessLevel !== 'owner' || project.status === 'archived') return null;
  return (
    <Suspense>
      <AddAgentDialog
        project={project}
        onClose={() => void navigate({ to: '.', search: withoutNewAgent })}
        onAdded={(agentId) =>
          void navigate({
            to: '.',
            search: (search) => withChat(withoutNewAgent(search), agentId),
            replace: true,
          })
        }
      />
    </Suspense>
  );
}

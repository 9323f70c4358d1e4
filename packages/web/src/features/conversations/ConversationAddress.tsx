import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { NotFoundPage } from '../../app/NotFoundPage.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { isCode } from '../../lib/api/api-error.ts';
import { callApi } from '../../lib/api/call-api.ts';

const route = getRouteApi('/signed-in/conversations/$conversationId');

/** `/conversations/:id` names no project: redirects to the conversations page of the project. */
export function ConversationAddress() {
  const { conversationId } = route.useParams();
  const { data, error } = useQuery({
    queryKey: ['conversation', conversationId],
    queryFn: ({ signal }) => callApi('getConversation', { params: { cid: conversationId }, signal }),
  });
  if (isCode(error, 'conversation_not_found')) return <NotFoundPage />;
  if (error) return <ErrorNote error={error} className="m-6" />;
  if (!data) return null;
  return (
    <Navigate
      to="/projects/$projectId/conversations"
      params={{ projectId: data.projectId }}
      search={{ conversation: data.id }}
      replace
    />
  );
}

import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { queryClient } from '../lib/queries/query-client.ts';
import { session } from '../lib/session.ts';
import { useStore } from '../lib/store.ts';
import { router } from './router.tsx';

export function App() {
  const { csrf } = useStore(session);
  const shownFor = useRef(csrf);
  // Leaves the page first, then clears its data: the next person must not see what the previous one loaded.
  useEffect(() => {
    if (shownFor.current === csrf) return;
    shownFor.current = csrf;
    void router.invalidate().then(() => {
      if (csrf === undefined) queryClient.clear();
    });
  }, [csrf]);
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}

/** Slot: the board of a project. */
export function Board({ projectId }: { readonly projectId: string }) {
  return <div data-project={projectId} className="h-full" />;
}

/** What an agent does, over its chat and its tasks: a card that a person can answer comes first. */
export function overviewState<Status extends string>(
  { chatStatus, task }: { readonly chatStatus: Status; readonly task: number },
  asks: boolean,
): Status | 'waiting_for_person' | 'busy' {
  if (asks) return 'waiting_for_person';
  const hasMoreToSay = chatStatus === 'failed' || chatStatus === 'waiting_for_person';
  return task > 0 && !hasMoreToSay ? 'busy' : chatStatus;
}

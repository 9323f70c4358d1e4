import type { TurnEnd, TurnEvent } from '../../../turn-events.ts';

type Progress = Exclude<TurnEvent, TurnEnd>;

/** What `work` emits, as it comes, and how it ends. `work` must not reject. */
export async function* turnEventsOf(
  work: (emit: (event: Progress) => void) => Promise<TurnEnd>,
): AsyncGenerator<Progress, TurnEnd> {
  const events: Progress[] = [];
  let more = Promise.withResolvers<void>();
  let end: TurnEnd | undefined;
  const wake = () => {
    more.resolve();
    more = Promise.withResolvers();
  };
  void work((event) => {
    events.push(event);
    wake();
  }).then((reached) => {
    end = reached;
    wake();
  });
  for (;;) {
    yield* events.splice(0);
    if (events.length > 0) continue;
    if (end) return end;
    await more.promise;
  }
}

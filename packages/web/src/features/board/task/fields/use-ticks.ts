import type { Task } from '@aizuchi/shared/contract/task';
import { useState } from 'react';
import { type ChecklistItem, itemAt, withTick } from './checklist.ts';
import type { SaveTask } from './use-save-task.ts';

interface Tick {
  readonly item: ChecklistItem;
  readonly isTicked: boolean;
}

/** Ticks items of the description. They are shown at once, and go back when they could not be saved. */
export function useTicks(task: Task, save: SaveTask) {
  const [pending, setPending] = useState<readonly Tick[]>([]);
  const shown = pending.reduce(ticked, task.description);
  const tick = (line: number, isTicked: boolean) => {
    const item = itemAt(shown, line);
    if (!item) return;
    const own = { item, isTicked };
    setPending((all) => [...all, own]);
    // On top of what stands there then: somebody may have ticked another item meanwhile.
    const change = (now: Task) => ({ description: ticked(now.description, own) });
    save
      .mutateAsync({ base: task, change })
      // The panel shows why.
      .catch(() => undefined)
      .finally(() => setPending((all) => all.filter((one) => one !== own)));
  };
  return { shown, tick };
}

function ticked(text: string, { item, isTicked }: Tick): string {
  return withTick(text, item, isTicked) ?? text;
}

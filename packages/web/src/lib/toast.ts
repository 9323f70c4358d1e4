import type { ExternalToast, toast as sonner } from 'sonner';
import { Store } from './store.ts';

/** How many toasts were asked for: their code is loaded with the first one at the latest. */
export const toastsAsked = new Store(0);

type Show = (toast: typeof sonner) => void;

let shower: typeof sonner | undefined;
let waiting: readonly Show[] = [];

/** Twice as long as others: who wants to take something back reads first what it was. */
const WITH_ACTION_MS = 8_000;

/** A short note that goes away by itself: only for what is not lost with it. */
export function toast(text: string, options?: ExternalToast): void {
  show((to) => to(text, { ...(options?.action && { duration: WITH_ACTION_MS }), ...options }));
}
toast.success = (text: string): void => show((to) => to.success(text));
toast.error = (text: string): void => show((to) => to.error(text));

/** Called by what draws toasts, once it does; undefined: it is gone. */
export function drawToasts(by: typeof sonner | undefined): void {
  shower = by;
  if (!by) return;
  for (const one of waiting) one(by);
  waiting = [];
}

function show(one: Show): void {
  if (shower) one(shower);
  else waiting = [...waiting, one];
  toastsAsked.set(toastsAsked.get() + 1);
}

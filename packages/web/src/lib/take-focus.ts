/**
 * Focuses an element of the page without being asked to, for example when its code has arrived. A dialog that has the
 * focus meanwhile keeps it: the person is writing there.
 */
export function takeFocus(element: HTMLElement | null): void {
  const dialog = document.activeElement?.closest('[role="dialog"]');
  if (dialog && !dialog.contains(element)) return;
  element?.focus({ preventScroll: true });
}

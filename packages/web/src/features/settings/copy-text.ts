/**
 * Puts a text on the clipboard; false when the browser refuses. Pages that are not served from this host or by https
 * have no clipboard of their own, there the old way is tried.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  // Inside of an open dialog: elsewhere the focus would be taken back.
  (document.querySelector('[role="dialog"]') ?? document.body).append(area);
  const before = document.activeElement;
  area.select();
  try {
    return document.execCommand('copy');
  } finally {
    area.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}

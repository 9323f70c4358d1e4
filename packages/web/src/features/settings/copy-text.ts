/**
 * Copies a text to the clipboard; false when the browser refuses. Outside of a secure context there is no clipboard
 * API: then the deprecated command is tried.
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
  // Inside of an open dialog, whose focus trap would otherwise take the focus back.
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

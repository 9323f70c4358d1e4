/**
 * The key belongs to an input method, such as the Enter that confirms a conversion. WebKit ends the composition before that
 * key is told: then only its code says so (WebKit bug 165004).
 */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229;
}

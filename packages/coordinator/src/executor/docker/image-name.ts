/**
 * Whether an engine may ask a registry for it. A name without a slash is that of an image that was built here: at the
 * registry that engines take for such a name it would be somebody else's.
 */
export function isOfRegistry(image: string): boolean {
  return image.includes('/');
}

/** What the engine pulls for it: one image, the pinned one when the name has a digest. */
export function pullQueryOf(image: string): { fromImage: string; tag: string } {
  const [name = '', digest] = image.split('@');
  const colon = name.indexOf(':', name.lastIndexOf('/'));
  const fromImage = colon === -1 ? name : name.slice(0, colon);
  // Without a tag it would pull all there are.
  return { fromImage, tag: digest ?? (colon === -1 ? 'latest' : name.slice(colon + 1)) };
}

/** Engines refuse longer names too. */
export const MAX_IMAGE_LENGTH = 255;

/* The grammar that engines of containers share, with what they mean by it. */
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const REGISTRY = `(?:${LABEL}(?:\\.${LABEL})*|\\[[A-Fa-f0-9:]+\\])(?::[0-9]+)?`;
const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const TAG = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const DIGEST = 'sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}';
const REFERENCE = new RegExp(`^(?:${REGISTRY}/)?${PART}(?:/${PART})*(?::${TAG})?(?:@(?:${DIGEST}))?$`);
/** An engine takes it for the id of an image. */
const ID = /^[0-9a-f]{64}$/;

/** Whether an engine can read it as the name of an image, with a tag, a digest, both or none. */
export function isImageReference(text: string): boolean {
  return text.length <= MAX_IMAGE_LENGTH && REFERENCE.test(text) && !ID.test(text);
}

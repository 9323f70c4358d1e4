/** Names whose values must not be readable in a log or a chat. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL/i;
/** A shorter value would be found in many ordinary words. */
const MIN_LENGTH = 8;
/** A text that ends in fewer characters of a secret ends as many texts do. Who has only these cannot guess the rest. */
export const MIN_BEGUN_LENGTH = 3;
export const HIDDEN = '[hidden]';

/** Values that an agent was given and might print. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && value !== undefined && value.length >= MIN_LENGTH ? [value] : [],
  );
}

type Values = readonly (string | undefined)[];

/**
 * Makes these values unreadable in a text, which keeps its length: others may know positions in it. What was done is
 * written last: the first characters may have been shown before the rest was known.
 */
export function hiderOf(values: Values): (text: string) => string {
  const secrets = secretsAmong(values);
  return (text) =>
    secrets.reduce((open, secret) => open.replaceAll(secret, HIDDEN.padStart(secret.length, '·')), text);
}

/** How much of the end of a text may be the beginning of one of these values: what follows will tell. Not 1 or 2. */
export function begunSecretOf(values: Values): (text: string) => number {
  const secrets = secretsAmong(values);
  return (text) => {
    const length = Math.max(0, ...secrets.map((secret) => beginningAtEnd(text, secret)));
    return length < MIN_BEGUN_LENGTH ? 0 : length;
  };
}

/** The longest comes first: one may be the beginning of another. */
function secretsAmong(values: Values): readonly string[] {
  return [...new Set(values)]
    .filter((value) => value !== undefined)
    .filter(({ length }) => length >= MIN_LENGTH)
    .sort((one, other) => other.length - one.length);
}

/** The length of the longest end of `text` that is a beginning of `secret`. */
export function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length -= 1)
    if (secret.startsWith(text.slice(text.length - length))) return length;
  return 0;
}

/**
 * For what a model's server says, which may repeat the key that it was sent: hides the key also as JSON and an address
 * write it, and each line of it. Messages of errors are often put into other texts.
 */
export function hidingKey(key: string | undefined): (text: string) => string {
  if (!key) return (text) => text;
  const lines = key.split(/\s*[\r\n]+\s*/).filter((line) => line !== '');
  const forms = [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key), ...lines];
  return (text) => forms.reduce((hidden, form) => hidden.replaceAll(form, '…'), text);
}

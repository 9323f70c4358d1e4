import { claimsOf } from './claims.ts';

/** What a claim puts into the payload of its state: the words of the old text, by which later claims are compared. */
const OF_CLAIM = ['attribute', 'value', 'polarity', 'subject', 'allergy', 'task'];

type Payload = Readonly<Record<string, unknown>>;

/** The payload of a state that says something else now: what the text tells is in it, and no word of the old text. */
export function correctedPayload(payload: Payload, bodyText: string): Payload {
  const rest = Object.fromEntries(Object.entries(payload).filter(([key]) => !OF_CLAIM.includes(key)));
  const [claim, ...others] = claimsOf(bodyText);
  return claim && others.length === 0 ? { ...rest, ...claim.payload } : rest;
}

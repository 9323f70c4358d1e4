/** Those that have a sentence of their own; the server may learn others. */
export const CANCEL_REASONS = ['stopped_by_person', 'session_ended', 'agent_gone', 'went_away'] as const;

export function toCancelReason(reason: string | undefined): (typeof CANCEL_REASONS)[number] | 'unknown' {
  return CANCEL_REASONS.find((one) => one === reason) ?? 'unknown';
}

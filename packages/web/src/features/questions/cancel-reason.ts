import { CANCEL_REASONS, type CancelReason } from '@aizuchi/shared/core/questions/rules/question-machine';

/** The reason that has a sentence; a newer server may know others. */
export function toCancelReason(reason: string | undefined): CancelReason | 'unknown' {
  return CANCEL_REASONS.find((one) => one === reason) ?? 'unknown';
}

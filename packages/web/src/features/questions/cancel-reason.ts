import { CANCEL_REASONS, type CancelReason } from '@aizuchi/shared/core/cards/rules/card-machine';

/** A reason for which there is a text; a newer server may send others. */
export function toCancelReason(reason: string | undefined): CancelReason | 'unknown' {
  return CANCEL_REASONS.find((one) => one === reason) ?? 'unknown';
}

import type { Approval, DecideApprovalBody } from '@aizuchi/shared/contract/approval';

type Decision = DecideApprovalBody['decision'];

const OUTCOMES: Readonly<Record<Decision, Approval['status']>> = {
  allow_once: 'allowed_once',
  allow_session: 'allowed_session',
  deny: 'denied',
};

/**
 * Who decided before this tab, after the server has refused its decision. `nobody`: it is the decision of this tab, whose
 * first response was lost, or no person has decided.
 */
export function overtakenBy(
  { status, decidedBy }: Pick<Approval, 'status' | 'decidedBy'>,
  refused: Decision | undefined,
  meId: string | undefined,
): 'nobody' | 'me' | 'another' {
  if (refused === undefined || decidedBy === undefined || meId === undefined) return 'nobody';
  if (decidedBy !== meId) return 'another';
  return status === OUTCOMES[refused] ? 'nobody' : 'me';
}

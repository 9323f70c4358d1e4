import { ApprovalCard, type ApprovalCardProps } from './ApprovalCard.tsx';
import { ApprovalLine } from './ApprovalLine.tsx';

/** A card while a person is asked, one line when it is over. */
export function ApprovalRow(props: ApprovalCardProps) {
  const { approval } = props;
  return approval.status === 'pending' ? <ApprovalCard {...props} /> : <ApprovalLine approval={approval} />;
}

import { lazyRouteComponent } from '@tanstack/react-router';
import { withTexts } from '../../../../lib/i18n.ts';

/** In the inbox: loaded where an agent has proposed something. */
export const ProposalCard = lazyRouteComponent(
  withTexts(() => import('./ProposalCard.tsx')),
  'ProposalCard',
);

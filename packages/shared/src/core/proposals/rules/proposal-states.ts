/** `replaced`: the agent has proposed something else before anybody decided. */
export const PROPOSAL_STATES = ['open', 'accepted', 'declined', 'replaced'] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

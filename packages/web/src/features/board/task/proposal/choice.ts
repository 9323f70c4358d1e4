import type { DecideProposalBody, Proposal } from '@aizuchi/shared/contract/proposal';

/** A part as a person has changed it on the card. */
export interface EditedPart {
  readonly isChosen: boolean;
  readonly title: string;
}

export function editedParts({ parts }: Pick<Proposal, 'parts'>): readonly EditedPart[] {
  return parts.map(({ title }) => ({ isChosen: true, title }));
}

/** What is sent for the chosen parts; undefined: none is chosen, or one has no title. */
export function acceptanceOf(
  { parts }: Pick<Proposal, 'parts'>,
  edited: readonly EditedPart[],
): DecideProposalBody | undefined {
  const chosen = edited.flatMap(({ isChosen, title }, index) => {
    const written = title.trim();
    return isChosen ? [{ n: index + 1, written, isOther: written !== parts[index]?.title }] : [];
  });
  if (chosen.length === 0 || chosen.some(({ written }) => written === '')) return undefined;
  return {
    decision: 'accept',
    chosen: chosen.map(({ n, written, isOther }) => ({ n, ...(isOther && { title: written }) })),
  };
}

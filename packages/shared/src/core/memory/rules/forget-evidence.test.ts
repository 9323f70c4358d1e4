import { expect, it } from 'vitest';
import { forgetEvidence, type RevisionOf, type Snapshot } from './forget-evidence.ts';

function history(...steps: readonly [evidence: string[], after: Snapshot][]): RevisionOf[] {
  return steps.map(([evidence, after], index) => ({
    id: index + 1,
    before: steps[index - 1]?.[1] ?? null,
    after,
    evidence,
    isByPerson: evidence.length === 0,
  }));
}

it('takes back what the event alone has changed, and keeps what a person changed after it', () => {
  const revisions = history(
    [['e1'], { bodyText: 'lives in Tokyo', confidence: 1, payload: { city: 'Tokyo' } }],
    [['e2'], { bodyText: 'lives in Osaka', confidence: 1, payload: { city: 'Osaka' } }],
    [[], { bodyText: 'lives in Osaka', confidence: 0.5, payload: { city: 'Osaka', checked: true } }],
  );
  const before = { bodyText: 'lives in Tokyo', confidence: 1, payload: { city: 'Tokyo' } };
  const after = { bodyText: 'lives in Tokyo', confidence: 0.5, payload: { city: 'Tokyo', checked: true } };
  expect(forgetEvidence(revisions, new Set(['e2']))).toEqual({
    kept: [
      { id: 1, before: null, after: before, evidence: ['e1'], isByPerson: false },
      { id: 3, before, after, evidence: [], isByPerson: true },
    ],
    removed: [2],
    snapshot: after,
  });
});

it('keeps what a second event confirmed when the first one goes', () => {
  const revisions = history(
    [['e1'], { bodyText: 'likes tea', lastConfirmedAt: '1', note: 'a' }],
    [['e1', 'e2'], { bodyText: 'likes tea', lastConfirmedAt: '2' }],
  );
  expect(forgetEvidence(revisions, new Set(['e1']))).toEqual({
    kept: [
      {
        id: 2,
        before: null,
        after: { bodyText: 'likes tea', lastConfirmedAt: '2' },
        evidence: ['e2'],
        isByPerson: false,
      },
    ],
    removed: [1],
    snapshot: { bodyText: 'likes tea', lastConfirmedAt: '2' },
  });
});

it('says that nothing is left when all of it came from these events', () => {
  expect(forgetEvidence(history([['e1'], { bodyText: 'x' }]), new Set(['e1']))).toEqual({
    kept: [],
    removed: [1],
    snapshot: null,
  });
});

it('what only tidied says nothing by itself', () => {
  const tidied = history([['e1'], { bodyText: 'x' }], [[], { bodyText: 'x', validTo: '1' }]).map((one) => ({
    ...one,
    isByPerson: false,
  }));
  expect(forgetEvidence(tidied, new Set(['e1']))).toEqual({ kept: [], removed: [1, 2], snapshot: null });
});

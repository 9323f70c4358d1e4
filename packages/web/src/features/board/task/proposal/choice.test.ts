import { expect, test } from 'vitest';
import { acceptanceOf, editedParts } from './choice.ts';

const proposal = {
  parts: [
    { title: 'Pack', dependsOn: [] },
    { title: 'Carry', dependsOn: [1] },
  ],
};

test('all parts as they are, some of them, or with other titles', () => {
  const edited = editedParts(proposal);
  expect(acceptanceOf(proposal, edited)).toEqual({ decision: 'accept', chosen: [{ n: 1 }, { n: 2 }] });
  expect(
    acceptanceOf(proposal, [
      { isChosen: false, title: '' },
      { isChosen: true, title: ' Carry all ' },
    ]),
  ).toEqual({ decision: 'accept', chosen: [{ n: 2, title: 'Carry all' }] });
});

test('nothing is sent without a choice, or with an empty title', () => {
  expect(acceptanceOf(proposal, [])).toBeUndefined();
  expect(acceptanceOf(proposal, [{ isChosen: true, title: ' ' }])).toBeUndefined();
});

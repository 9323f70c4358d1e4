import { expect, test } from 'vitest';
import { type ControlView, decideControl } from './turn-control.ts';

const view: ControlView = { state: 'active', end: null, control: null, offered: null, acknowledged: null };
const exit = { action: 'exit', reason: 'force_ended' } as const;
const logout = { action: 'logout', reason: 'session_timeout' } as const;

test.each<[string, Partial<ControlView>, ReturnType<typeof decideControl>]>([
  ['nothing was asked', {}, null],
  ['interrupt', { control: 'interrupt' }, { control: 'interrupt', repeat: false }],
  [
    'an interrupt that perhaps did not arrive',
    { control: 'interrupt', offered: 'interrupt' },
    { control: 'interrupt', repeat: true },
  ],
  [
    'an interrupt that was told',
    { control: 'interrupt', offered: 'interrupt', acknowledged: 'interrupt' },
    null,
  ],
  ['the end by a person', { state: 'terminating', end: exit }, { control: 'stop', repeat: false }],
  [
    'the end after an interrupt',
    {
      state: 'terminating',
      end: exit,
      control: 'interrupt',
      offered: 'interrupt',
      acknowledged: 'interrupt',
    },
    { control: 'stop', repeat: false },
  ],
  ['an end that was told', { state: 'terminating', end: exit, acknowledged: 'stop' }, null],
  ['idleness', { state: 'terminating', end: logout }, null],
  ['over', { state: 'ended' }, { control: 'stop', repeat: false }],
])('%s', (_, change, expected) => {
  expect(decideControl({ ...view, ...change })).toEqual(expected);
});

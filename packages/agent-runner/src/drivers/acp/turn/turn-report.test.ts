import { expect, test } from 'vitest';
import type { TurnEvent } from '../../../turn-events.ts';
import { agentOfProgram } from '../known-agents.ts';
import { en } from '../texts/texts.en.ts';
import { TurnReport } from './turn-report.ts';

function reportWith(notices: Set<string>) {
  const events: TurnEvent[] = [];
  const known = agentOfProgram({ file: '/bin/agent', args: [] });
  const emit = (event: TurnEvent) => void events.push(event);
  return { events, report: new TurnReport({ texts: en, known, cwd: '/work', notices, emit }) };
}

const notice = (title: string) => ({ sessionUpdate: 'notice', title, severity: 'info' }) as const;

test('a notice is shown once in a session, which remembers a limited number of them', () => {
  const notices = new Set<string>();
  const first = reportWith(notices);
  for (let count = 0; count < 1_000; count += 1) first.report.take(notice(`It is ${count} o'clock`));
  expect(first.events).toHaveLength(1_000);
  expect(notices.size).toBeLessThanOrEqual(100);
  const second = reportWith(notices);
  second.report.take(notice("It is 999 o'clock"));
  expect(second.events).toEqual([]);
});

test('a text that ends its line, and one that is empty, get no gap', () => {
  const { events, report } = reportWith(new Set());
  for (const [piece, id] of [
    ['', 'a'],
    ['One.', 'a'],
    ['Two.\n', 'b'],
    ['Three.', 'c'],
  ] as const)
    report.text(piece, id);
  expect(events.map((event) => event.type === 'text' && event.text)).toEqual([
    'One.',
    '\n\nTwo.\n',
    'Three.',
  ]);
});

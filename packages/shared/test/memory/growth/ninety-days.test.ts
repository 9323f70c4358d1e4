import { afterAll, beforeAll, expect, test } from 'vitest';
import { MemoryService } from '../../../src/core/memory/memory-service.ts';
import { vadAt } from '../../../src/core/turns/mood-now.ts';
import { ServiceWorld } from '../../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../../src/testing/timeouts.ts';
import { retrievalOf } from '../memory-support.ts';
import { chatEvents } from '../stored-memory.ts';
import { grow } from './growth-support.ts';
import { CHECKS, sessionsOf } from './ninety-days.ts';

const DAY_MS = 86_400_000;

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());

test.each(['en', 'ja'] as const)(
  'over ninety days it recalls, is corrected, contradicts, calms down and is tidied (%s)',
  { timeout: 4 * LONG_TIMEOUT_MS },
  async (language) => {
    const at = language === 'en' ? 0 : 1;
    const memories = new MemoryService(world.deps);
    const retrieval = retrievalOf(world);
    const { agentId } = await world.agentInProject();
    const scope = { agentId, projectId: undefined };
    const stateOf = async (kind: 'fact' | 'task' | 'long_mood_state') =>
      (await memories.listStates(world.owner, agentId, { limit: 200, kind })).states;
    const start = world.clock.now().getTime();
    const onDay = (day: number, minutes = 0) => new Date(start + day * DAY_MS + minutes * 60_000);
    const goTo = (at: Date) => world.clock.advance(at.getTime() - world.clock.now().getTime());
    const results: string[] = [];
    let sadAt = 0;
    for (const { day, turns } of sessionsOf(language)) {
      goTo(onDay(day));
      await chatEvents(
        world,
        agentId,
        turns.map((userText, index) => ({ userText, actor: 'Mika', createdAt: onDay(day, index) })),
      );
      await grow(world, agentId);
      goTo(onDay(day, 60));
      for (const check of CHECKS.filter((one) => one.day === day)) {
        const query = check.question[at] ?? '';
        const { items } = await retrieval.search(scope, { query, limit: 10, expand: false });
        const place = (word: string | undefined) =>
          items.findIndex(({ text }) => word !== undefined && text.includes(word));
        const [right, wrong] = [place(check.right[at]), place(check.wrong?.[at])];
        results.push(`day ${day} ${check.kind}: right at ${right + 1}, wrong at ${wrong + 1}`);
        expect.soft(right, results.at(-1)).toBeGreaterThanOrEqual(0);
        expect.soft(right, results.at(-1)).toBeLessThan(wrong === -1 ? 10 : wrong);
      }
      if (day === 55) {
        const [mood] = await stateOf('long_mood_state');
        sadAt = mood
          ? (vadAt({ ...mood, lastConfirmedAt: new Date(mood.lastConfirmedAt) }, onDay(day, 1))?.v ?? 0)
          : 0;
      }
    }
    const [mood] = await stateOf('long_mood_state');
    if (!mood) throw new Error('no mood has grown');
    const later = vadAt({ ...mood, lastConfirmedAt: new Date(mood.lastConfirmedAt) }, onDay(90))?.v ?? 0;
    results.push(`mood v on day 55: ${sadAt}, on day 90: ${later}`);
    expect(sadAt).toBeLessThan(-0.4);
    expect(Math.abs(later)).toBeLessThan(Math.abs(sadAt));
    const [task] = await stateOf('task');
    results.push(`task: valid to ${task?.validTo}`);
    expect(task?.validTo).not.toBeNull();
    const open = (await stateOf('fact'))
      .filter(({ validTo }) => validTo === null)
      .map(({ bodyText }) => bodyText);
    results.push(`open facts: ${open.length}`);
    expect(new Set(open).size).toBe(open.length);
    const { steps } = await memories.indexing(world.owner, agentId, {});
    expect(steps.tidy?.error).toBeUndefined();
    expect(steps.tidy).toBeDefined();
  },
);

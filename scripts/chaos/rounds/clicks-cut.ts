import { z } from 'zod';
import { until } from '../../../tests/e2e/start/product-process.ts';
import type { House, HousePair } from '../house.ts';
import type { Load } from '../load.ts';
import { theFirstOfEach } from '../response-cutter.ts';
import { pairInTurn, type Round } from '../round.ts';

const SHOWN_WITHIN_MS = 30_000;
const CUT_WITHIN_MS = 20_000;

/** A person clicks on a card, and the answer that tells the agent of it is cut, once for each card. */
export const clicksCut: Round = {
  name: 'clicks cut (card → agent)',
  async strike(house, { turn, load }) {
    const { cutter } = house;
    const pairs = house.pairs.filter(({ record }) => record !== undefined);
    const before = cutter.cuts;
    const violations: string[] = [];
    cutter.judge = theFirstOfEach(clicksIn);
    try {
      const cards = await Promise.all(pairs.map((pair) => showCard(house, load, pair, turn)));
      for (const card of cards) await click(house, card);
      await until(() => cutter.cuts - before >= cards.length, CUT_WITHIN_MS).catch(() => {
        violations.push(`of ${cards.length} clicks ${cutter.cuts - before} were on their way to an agent`);
      });
    } finally {
      cutter.judge = undefined;
    }
    return {
      pair: pairInTurn(house, turn),
      since: performance.now(),
      note: `${cutter.cuts - before} clicks cut`,
      violations,
    };
  },
};

/** The cards whose click an answer of get_next_action tells. */
function clicksIn(answer: string): string[] {
  return answer.includes('question_resolved') ? (answer.match(/card_msg_\w+/g) ?? []) : [];
}

async function showCard(house: House, load: Load, pair: HousePair, turn: number): Promise<string> {
  const { id } = await load.write(pair, `ask-${turn}-${pair.agentId}`, 'ask');
  const card = `card_${id}`;
  await until(
    async () =>
      (await house.rows('select from user_questions where tool_use_id = $1 and shown_at is not null', [card]))
        .length > 0,
    SHOWN_WITHIN_MS,
  );
  return card;
}

async function click({ person }: House, card: string): Promise<void> {
  await person.call(z.unknown(), 'POST', `/questions/${card}/answer`, { answers: { 0: '0' } });
}

import { z } from 'zod';
import { until } from '../../../tests/e2e/start/product-process.ts';
import type { ChaosPair, ChaosWorld } from '../chaos-world.ts';
import type { Load } from '../load.ts';
import { theFirstOfEach } from '../response-cutter.ts';
import { membershipInTurn, type Round } from '../round.ts';

const SHOWN_WITHIN_MS = 30_000;
const CUT_WITHIN_MS = 20_000;

/**
 * A person clicks on a card of each recording agent, and agents have conversations. The first answer about each
 * click, each conversation and each end of one is cut.
 */
export const clicksCut: Round = {
  name: 'clicks cut (cards, conversations → agent)',
  // The agent does not answer while a card is open, so each further message gives it all earlier ones again.
  pauseMs: 400,
  async inject(world, { turn, load }) {
    const { cutter } = world;
    const pairs = world.pairs.filter(({ record }) => record !== undefined);
    const cut = new Set<string>();
    const violations: string[] = [];
    cutter.judge = theFirstOfEach(toldIn, cut);
    try {
      // They share a folder: who waits for a person has it, so only one of them asks at a time.
      for (const membership of pairs) {
        const card = await showCard(world, load, membership, turn);
        // An agent is told of a click only when no message is unread. On a slow machine that would not happen while
        // people write.
        await load.stop();
        await click(world, card);
        await until(() => cut.has(card), CUT_WITHIN_MS).catch(() => {
          violations.push(`a click that was never on its way to an agent: ${card}`);
        });
      }
    } finally {
      cutter.judge = undefined;
    }
    return {
      membership: membershipInTurn(world, turn),
      since: performance.now(),
      note: `${cut.size} cut`,
      violations,
    };
  },
};

/** The cards and conversations that an answer of get_next_action names. */
function toldIn(answer: string): string[] {
  const [, action = ''] = /"action":"(question_resolved|conversation_\w+)"/.exec(answer) ?? [];
  if (action === 'question_resolved') return answer.match(/card_msg_\w+/g)?.slice(0, 1) ?? [];
  return (
    answer
      .match(/\bconv_\w+/g)
      ?.slice(0, action === '' ? 0 : 1)
      .map((id) => `${action} ${id}`) ?? []
  );
}

async function showCard(world: ChaosWorld, load: Load, membership: ChaosPair, turn: number): Promise<string> {
  const { id } = await load.write(membership, `ask-${turn}-${membership.agentId}`, 'ask');
  const card = `card_${id}`;
  await until(
    async () =>
      (await world.rows('select from user_questions where tool_use_id = $1 and shown_at is not null', [card]))
        .length > 0,
    SHOWN_WITHIN_MS,
  );
  return card;
}

async function click({ person }: ChaosWorld, card: string): Promise<void> {
  await person.call(z.unknown(), 'POST', `/questions/${card}/answer`, { answers: { 0: '0' } });
}

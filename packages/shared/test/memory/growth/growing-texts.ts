import type { NewEvent } from '../../../src/core/memory/memory-store.ts';

const SUBJECTS = ['tea', 'Kyoto', 'the piano', 'ラーメン', '散歩', 'chess', 'Berlin', '『源氏物語』'];
const CITIES = ['Osaka', 'Kyoto', 'Sapporo', 'Berlin', 'Lisbon'];

/** What a person tells in so many turns: facts, some of them contradicted, tasks, feelings and small talk. */
export function growingTexts(count: number): Partial<NewEvent>[] {
  return Array.from({ length: count }, (_, n) => {
    const subject = SUBJECTS[n % SUBJECTS.length] ?? '';
    const told = [
      `I like ${subject}. I was so happy about it last year.`,
      `I live in ${CITIES[n % CITIES.length]} now.`,
      `Remind me to buy ${subject} by Friday. Room ${n} is booked.`,
      `好きな色は${['青', '赤', '緑'][n % 3]}です。${subject}がとても楽しかった。`,
      `I bought ${subject}. It was a tiring day in 20${10 + (n % 15)}.`,
      `I don't like ${subject}. The meeting moved to room ${n % 4}.`,
      `${subject}の話をしましょう。小学生のころの思い出です。`,
    ][n % 7];
    return {
      userText: told ?? '',
      assistantText: 'I see.',
      actor: n % 5 === 0 ? 'Ken' : 'Mika',
      clientId: n % 5 === 0 ? 'ken' : 'mika',
    };
  });
}

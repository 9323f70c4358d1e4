import type { QuestionItem } from '@aizuchi/shared/contract/question';
import type { Locator, Page } from 'playwright-core';

const option = (label: string, description = '') => ({ label, description });

export const ONE: QuestionItem = {
  question: 'Where should the verification key live?',
  header: 'Key store',
  options: [
    option('Environment variable', 'Simplest. Rotation needs a restart.'),
    option('Settings table', 'Rotates at once, readable by owners.'),
    option('Key file on the host', 'Stays off the database, one per host.'),
  ],
  multiSelect: false,
};
export const MANY: QuestionItem = {
  question: 'どの検査を回しますか？',
  header: '検査',
  options: [option('単体', '数秒'), option('結合', '本物の Postgres'), option('画面', 'Chromium')],
  multiSelect: true,
};
export const FREE: QuestionItem = {
  question: '端数はどの丸め方にそろえますか？',
  header: '丸め方',
  options: [
    option('銀行丸め', '会計の標準。合計の偏りが小さい。'),
    option('四捨五入', '今の画面の表示と同じ。'),
  ],
  multiSelect: false,
};

/** A card as a person uses it. */
export class CardPage {
  readonly #root: Page | Locator;

  constructor(root: Page | Locator) {
    this.#root = root;
  }

  get all(): Locator {
    return this.#root.getByTestId('question-card');
  }
  get pending(): Locator {
    return this.#root.locator('[data-testid="question-card"][data-status="pending"]');
  }
  get submit(): Locator {
    return this.#root.getByTestId('question-submit');
  }
  option(question: number, n: number): Locator {
    return this.#root.getByTestId(`question-option-${question}-${n}`);
  }
  other(question: number): Locator {
    return this.#root.getByTestId(`question-other-${question}`);
  }
  /** The line that replaces the card when it is over. */
  line(status: 'answered' | 'timeout' | 'cancelled'): Locator {
    return this.#root.locator(`[data-testid="question-card"][data-status="${status}"]`);
  }
}

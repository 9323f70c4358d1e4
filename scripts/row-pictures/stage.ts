import type { Browser, BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import { ApiCaller } from '../../tests/e2e/web/support/api-caller.ts';
import { type RunningProduct, startProduct } from '../commands/product.ts';
import type { Language, Look } from './looks.ts';

export interface Person {
  readonly id: string;
  readonly passkey: string;
}

const csrfSchema = z.object({ csrf: z.string() });

/** A product in one language, and browsers in which people are signed in. */
export class Stage {
  readonly language: Language;
  readonly product: RunningProduct;
  readonly owner: ApiCaller;
  readonly #browser: Browser;
  readonly #made = new Map<string, Promise<unknown>>();
  #count = 0;

  private constructor(language: Language, product: RunningProduct, owner: ApiCaller, browser: Browser) {
    this.language = language;
    this.product = product;
    this.owner = owner;
    this.#browser = browser;
  }

  static async open(browser: Browser, language: Language): Promise<Stage> {
    const product = await startProduct({
      AIZUCHI_LOCALE: language,
      RATE_LIMIT_PER_MINUTE: '0',
      MEMORY_GROWTH: 'off',
      // Agents of earlier states may still be held at work.
      COORDINATOR_MAX_PROCESSES: '200',
    });
    const { AIZUCHI_WEB_URL = '', AIZUCHI_OWNER_PASSKEY = '' } = product.environment;
    const owner = await ApiCaller.signIn(AIZUCHI_WEB_URL, 'owner', AIZUCHI_OWNER_PASSKEY);
    return new Stage(language, product, owner, browser);
  }

  get url(): string {
    return this.product.environment.AIZUCHI_WEB_URL ?? '';
  }

  /** A name that nothing else has, for ids. */
  fresh(name: string): string {
    this.#count += 1;
    return `${name}_${this.#count}`;
  }

  /** What all looks share: it is made once. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = (this.#made.get(name) as Promise<T> | undefined) ?? make();
    this.#made.set(name, made);
    return made;
  }

  /** A page of a browser of its own, in which the owner is signed in. Nothing is open yet. */
  async page({ width, height, scale, isTouched }: Look): Promise<Page> {
    const context = await this.#browser.newContext({
      baseURL: this.url,
      locale: this.language === 'ja' ? 'ja-JP' : 'en-GB',
      timezoneId: 'Asia/Tokyo',
      colorScheme: 'light',
      reducedMotion: 'reduce',
      viewport: { width, height },
      deviceScaleFactor: scale,
      hasTouch: isTouched,
      serviceWorkers: 'block',
    });
    context.setDefaultTimeout(20_000);
    await this.signIn(context, {
      id: 'owner',
      passkey: this.product.environment.AIZUCHI_OWNER_PASSKEY ?? '',
    });
    return context.newPage();
  }

  async signIn(context: BrowserContext, { id, passkey }: Person): Promise<void> {
    const data = { agentId: id, passkey };
    const answer = await context.request.post(`${this.url}/api/auth/login`, { data });
    const { csrf } = csrfSchema.parse(await answer.json());
    // The last of them counts.
    await context.addInitScript(`localStorage.setItem('aizuchi.csrf', ${JSON.stringify(csrf)})`);
  }

  async close(): Promise<void> {
    await this.product.stop();
  }
}

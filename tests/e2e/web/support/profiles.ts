import type { Browser, BrowserContext, Page } from 'playwright-core';

/** Of all that is waited for in a browser: of its pages, and of what comes to no page, such as a service worker. */
const LIMIT_MS = 90_000;

export interface ProfileOptions {
  readonly locale: 'ja' | 'en';
  readonly theme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
  /** The service worker may run: it answers the navigations of every later test in this browser. */
  readonly hasWorker?: boolean;
}

/** One person's browser: cookies and storage of its own, which its tabs share. */
export interface Profile {
  readonly context: BrowserContext;
  /** An idle tab of the product's origin. Its process stays, so that the next tab finds the compiled scripts. */
  readonly keeper: Page;
}

/**
 * The browsers that the tests of one file open. A test that has ended leaves an empty one, without cookies, storage
 * and permissions, to the next test that needs the same language, theme and size: its HTTP cache and its process
 * save a third of the CPU time of each load.
 */
export class Profiles {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #used = new Map<Profile, string>();
  readonly #free = new Map<string, Profile[]>();

  constructor(browser: Browser, url: string) {
    this.#browser = browser;
    this.#url = url;
  }

  async take(options: ProfileOptions): Promise<Profile> {
    const key = JSON.stringify(options);
    const profile = this.#free.get(key)?.pop() ?? (await this.#make(options));
    this.#used.set(profile, key);
    return profile;
  }

  /** The open pages of the test that runs. */
  get pages(): readonly Page[] {
    return [...this.#used.keys()].flatMap(({ context, keeper }) =>
      context.pages().filter((page) => page !== keeper),
    );
  }

  /** Closes every page of the test that has ended. */
  async giveBack(): Promise<void> {
    const used = [...this.#used];
    this.#used.clear();
    await Promise.all(
      used.map(async ([profile, key]) => {
        await empty(profile);
        this.#free.set(key, [...(this.#free.get(key) ?? []), profile]);
      }),
    );
  }

  async #make({ locale, theme, width, height, hasWorker = false }: ProfileOptions): Promise<Profile> {
    const context = await this.#browser.newContext({
      baseURL: this.#url,
      locale: locale === 'ja' ? 'ja-JP' : 'en-GB',
      timezoneId: 'Asia/Tokyo',
      colorScheme: theme,
      reducedMotion: 'reduce',
      viewport: { width, height },
      hasTouch: width < 640,
      serviceWorkers: hasWorker ? 'allow' : 'block',
    });
    context.setDefaultTimeout(LIMIT_MS);
    const keeper = await context.newPage();
    // A document without scripts.
    await keeper.goto('/favicon.svg');
    return { context, keeper };
  }
}

async function empty({ context, keeper }: Profile): Promise<void> {
  // A handler that still waits for the server would fail when its page is closed.
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await Promise.all(
    context
      .pages()
      .filter((page) => page !== keeper)
      .map((page) => page.close()),
  );
  await Promise.all([
    context.clearCookies(),
    context.clearPermissions(),
    context.setOffline(false),
    context.unrouteAll(),
    keeper.evaluate('localStorage.clear()'),
  ]);
}

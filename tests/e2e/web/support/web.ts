import type { Browser, BrowserContext, Cookie, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { z } from 'zod';
import { type RunningProduct, startProduct } from '../../../../scripts/commands/product.ts';
import { ApiCaller } from './api-caller.ts';
import { launchChromium } from './chromium.ts';
import { notePages } from './failure-notes.ts';
import { type Profile, type ProfileOptions, Profiles } from './profiles.ts';

export interface PageOptions extends Partial<ProfileOptions> {
  /** The address to open. The promise resolves when the page has loaded what it needs. */
  readonly path?: string;
  /** Shares cookie and storage with another page, like a second tab. */
  readonly sameAs?: Page;
}

export interface Person {
  readonly id: string;
  readonly passkey: string;
}

/** What is needed to prepare a state from outside: also by a command that is no test. */
export type Prepared = Pick<Web, 'owner' | 'product'>;

/** The pages of one browser share a process, also with those that were closed while its idle tab is open. */
const ONE_PROCESS = ['--process-per-site', '--renderer-process-limit=1', '--disable-site-isolation-trials'];

const keyOf = ({ id, passkey }: Person): string => `${id} ${passkey}`;

/** A running product, either separate or shared, and a browser for one test file. */
export class Web {
  #product: Pick<RunningProduct, 'environment'> | undefined;
  #own: RunningProduct | undefined;
  #browser: Browser | undefined;
  #owner: ApiCaller | undefined;
  #profiles: Profiles | undefined;
  readonly #signIns = new Map<string, { cookies: Cookie[]; csrf: string }>();
  readonly #complaints: string[] = [];

  /** Starts a separate product if an environment is given, otherwise uses the shared one. */
  async start(env: Record<string, string> | undefined): Promise<void> {
    const [own, browser] = await Promise.all([
      env && startProduct({ MEMORY_GROWTH: 'off', ...env }),
      launchChromium(ONE_PROCESS),
    ]);
    this.#own = own;
    this.#product = own ?? { environment: inject('sharedProduct') };
    this.#browser = browser;
    this.#profiles = new Profiles(browser, this.url);
    this.#owner = await ApiCaller.signIn(this.url, 'owner', this.passkey);
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    if (this.#own) expect(await this.#own.stop(), 'the product ended cleanly').toBe(true);
  }

  get product(): Pick<RunningProduct, 'environment'> {
    if (!this.#product) throw new Error('The product is not running.');
    return this.#product;
  }

  get url(): string {
    return this.product.environment.AIZUCHI_WEB_URL ?? '';
  }

  get passkey(): string {
    return this.product.environment.AIZUCHI_OWNER_PASSKEY ?? '';
  }

  /** REST as the owner, to prepare test data. */
  get owner(): ApiCaller {
    if (!this.#owner) throw new Error('The product is not running.');
    return this.#owner;
  }

  /** A page of a browser in which no person is signed in. */
  async page(options: PageOptions = {}): Promise<Page> {
    return this.#pageOf(options.sameAs?.context() ?? (await this.#profile(options)).context, options.path);
  }

  /** A page of a browser in which this person (default: the owner) is signed in. */
  async signedIn(options: PageOptions & { readonly as?: Person } = {}): Promise<Page> {
    const { as = { id: 'owner', passkey: this.passkey }, path = '/projects' } = options;
    const { context, keeper } = await this.#profile(options);
    const csrf = (await this.#signInAgain(context, as)) ?? (await this.#signIn(context, as));
    await keeper.evaluate(`localStorage.setItem('aizuchi.csrf', ${JSON.stringify(csrf)})`);
    return this.#pageOf(context, path);
  }

  async #signIn(context: BrowserContext, as: Person): Promise<string> {
    const response = await context.request.post(`${this.url}/api/auth/login`, {
      data: { agentId: as.id, passkey: as.passkey },
    });
    expect(response.status()).toBe(200);
    const { csrf } = z.object({ csrf: z.string() }).parse(await response.json());
    this.#signIns.set(keyOf(as), { cookies: await context.cookies(), csrf });
    return csrf;
  }

  /** Uses the cookies of the last sign-in if they are still valid: the hash of a passkey costs 0.14 s of a core. */
  async #signInAgain(context: BrowserContext, as: Person): Promise<string | undefined> {
    const signIn = this.#signIns.get(keyOf(as));
    if (!signIn) return undefined;
    await context.addCookies(signIn.cookies);
    const response = await context.request.get(`${this.url}/api/auth/me`);
    if (response.ok()) return signIn.csrf;
    await context.clearCookies();
    return undefined;
  }

  get pages(): readonly Page[] {
    return this.#profiles?.pages ?? [];
  }

  /** Closes the pages; fails if a page has logged an error or violated its own policy. */
  async closePages(): Promise<void> {
    await this.#profiles?.giveBack();
    expect(this.#complaints.splice(0)).toEqual([]);
  }

  #profile({
    hasWorker,
    locale = 'ja',
    theme = 'light',
    width = 1440,
    height,
  }: PageOptions): Promise<Profile> {
    if (!this.#profiles) throw new Error('The browser is not running.');
    return this.#profiles.take({
      locale,
      theme,
      width,
      height: height ?? (width < 640 ? 780 : 900),
      ...(hasWorker && { hasWorker }),
    });
  }

  async #pageOf(context: BrowserContext, path: string | undefined): Promise<Page> {
    const page = await context.newPage();
    page.on('console', (message) => {
      // A refused call also logs an error to the console; tests check what the page shows for it.
      const isCall = /^(Failed to load resource|WebSocket connection to)/.test(message.text());
      if (message.type() === 'error' && !isCall) this.#complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.#complaints.push(error.message));
    if (path === undefined) return page;
    await page.goto(path);
    await page.waitForFunction('document.fonts.ready.then(() => true)');
    return page;
  }
}

/**
 * Starts a browser and a product for the tests of one file, and ends them: for tests that kill services, change
 * settings, need variables, or check what all users see.
 */
export function useOwnWeb(env: Record<string, string> = {}): Web {
  return useStarted(env);
}

/** The same with the shared product: for tests that create their own projects, agents and people. */
export function useWeb(): Web {
  return useStarted(undefined);
}

function useStarted(env: Record<string, string> | undefined): Web {
  const web = new Web();
  beforeAll(() => web.start(env), 120_000);
  afterEach(async ({ task }) => {
    await notePages(task, web.pages);
    await web.closePages();
  });
  afterAll(() => web.stop(), 60_000);
  return web;
}

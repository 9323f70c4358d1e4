import type { Page, Worker } from 'playwright-core';
import { expect } from 'vitest';

/**
 * In the place of what a headless browser has not: the push service, the notifications and badge of the system, and the focus that
 * a click on one gives.
 */
const SYSTEM = `
  self.shown = [];
  self.registration.showNotification = async (title, options) => {
    const notification = { title, ...options };
    notification.close = () => { self.shown = self.shown.filter((one) => one !== notification); };
    self.shown = [...self.shown.filter(({ tag }) => tag !== options.tag), notification];
  };
  WindowClient.prototype.focus = async function () { return this; };
  WorkerNavigator.prototype.setAppBadge = async () => undefined;
  self.happen = (type, more) => new Promise((resolve, reject) => {
    const event = Object.assign(new ExtendableEvent(type), more);
    event.waitUntil = (done) => Promise.resolve(done).then(resolve, reject);
    self.dispatchEvent(event);
  });
`;

/** A page with its service worker, as a push service and the system's notifications use it. */
export class PushedPage {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** A page of a browser in which workers may run. Resolves when a notification can be answered. */
  static async of(page: Page): Promise<PushedPage> {
    const context = page.context();
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    // The page keeps there what a button answers with, a moment after it has loaded.
    await expect.poll(() => page.evaluate(`caches.match('/csrf').then(Boolean)`)).toBe(true);
    await worker.evaluate(SYSTEM);
    return new PushedPage(worker);
  }

  /** As the browser hands it over, decrypted; resolves when the worker is done. */
  async push(message: object): Promise<void> {
    await this.#worker.evaluate(
      `self.happen('push', { data: { json: () => (${JSON.stringify(message)}) } })`,
    );
  }

  /** The titles of the notifications that the system shows. */
  shown(): Promise<string[]> {
    return this.#worker.evaluate('self.shown.map(({ title }) => title)');
  }

  /** Presses a button of the first notification, or the notification itself; resolves when the worker is done. */
  async click(action = ''): Promise<void> {
    const more = `{ notification: self.shown[0], action: ${JSON.stringify(action)} }`;
    await this.#worker.evaluate(`self.happen('notificationclick', ${more})`);
  }
}

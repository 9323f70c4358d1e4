import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messagePageSchema, messageSchema } from '@aizuchi/shared/contract/chat';
import { type Project, projectSchema } from '@aizuchi/shared/contract/project';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import type { Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { Prepared } from './web.ts';

const servicesSchema = z.array(z.object({ name: z.string(), pid: z.number() }));
const lineSchema = z.object({
  id: z.string(),
  senderId: z.string(),
  content: z.string(),
  visible: z.boolean(),
});

/** A project with one agent, and functions to check their chat from outside. */
export class ChatWorld {
  readonly #web: Prepared;
  readonly project: Project;
  readonly agentId: string;

  private constructor(web: Prepared, project: Project, agentId: string) {
    this.#web = web;
    this.project = project;
    this.agentId = agentId;
  }

  static async make(
    web: Prepared,
    projectId: string,
    agent: Record<string, unknown>,
    name = projectId.replace('prj_', '').toUpperCase(),
  ): Promise<ChatWorld> {
    const project = await web.owner.call(projectSchema, 'POST', '/projects', {
      id: projectId,
      name,
    });
    const { id } = await web.owner.call(z.object({ id: z.string() }), 'POST', '/agents', {
      type: 'ai',
      ...agent,
    });
    await web.owner.call(z.unknown(), 'PUT', `/projects/${project.id}/agents/${id}`);
    return new ChatWorld(web, project, id);
  }

  get path(): string {
    return `/projects/${this.project.id}?agent=${this.agentId}`;
  }

  get #chat(): string {
    return `/projects/${this.project.id}/agents/${this.agentId}/chat`;
  }

  async end(): Promise<void> {
    await this.#web.owner.call(z.unknown(), 'POST', `${this.#chat}/end`, { force: true });
  }

  post(content: string) {
    return this.#web.owner.call(messageSchema, 'POST', `${this.#chat}/messages`, { content });
  }

  async contents(): Promise<string[]> {
    const { messages } = await this.#web.owner.call(
      messagePageSchema,
      'GET',
      `${this.#chat}/messages?limit=200`,
    );
    return messages.map(({ content }) => plain(content));
  }

  async log(): Promise<z.infer<typeof lineSchema>[]> {
    const file = join(this.project.workingDirectory ?? '', '.ai-pm', 'agents', this.agentId, 'chat.jsonl');
    const text = await readFile(file, 'utf8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => lineSchema.parse(JSON.parse(line)));
  }

  /** Kills a process of the product; resolves when another one has replaced it. */
  async killService(name: string): Promise<void> {
    const file = join(this.#web.product.environment.AIZUCHI_HOME ?? '', 'run', 'services.json');
    const pidNow = async () =>
      servicesSchema.parse(JSON.parse(await readFile(file, 'utf8'))).find((one) => one.name === name)?.pid;
    const before = await pidNow();
    if (before === undefined) throw new Error(`${name} is not running.`);
    process.kill(before, 'SIGKILL');
    await expect.poll(pidNow).not.toBe(before);
  }
}

/** The panel as a person uses it. */
export class ChatPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get input(): Locator {
    return this.page.getByTestId('chat-input');
  }
  get sendButton(): Locator {
    return this.page.getByTestId('chat-send-button');
  }
  get messages(): Locator {
    return this.page.locator('[data-testid^="chat-message-"]');
  }

  /** Records every label of the send button from now on: some are visible only for a moment. */
  async recordLabels(): Promise<() => Promise<string[]>> {
    await this.page.evaluate(`
      window.labels = [];
      new MutationObserver(() => {
        const label = document.querySelector('[data-testid="chat-send-button"]')?.textContent;
        if (label && window.labels.at(-1) !== label) window.labels.push(label);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    `);
    return () => this.page.evaluate('window.labels');
  }

  /** Records every number that the badge of the inbox shows from now on, also for a moment. */
  async recordBadges(): Promise<() => Promise<string[]>> {
    await this.page.evaluate(`
      window.badges = [];
      new MutationObserver(() => {
        const badge = document.querySelector('[data-testid="inbox-badge"]')?.textContent;
        if (badge && window.badges.at(-1) !== badge) window.badges.push(badge);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    `);
    return () => this.page.evaluate('window.badges');
  }

  async untilReady(label: '送信' | 'Send' = '送信'): Promise<void> {
    await expect.poll(() => this.sendButton.textContent()).toBe(label);
  }

  async say(text: string): Promise<void> {
    await this.input.fill(text);
    await this.sendButton.click();
  }

  /** The visible texts of people and agents, from top to bottom. */
  async texts(): Promise<string[]> {
    const texts = await this.messages.evaluateAll((elements) =>
      elements
        .map((element) => ({ top: element.getBoundingClientRect().top, element }))
        .sort((a, b) => a.top - b.top)
        .map(({ element }) => element.querySelector('.own-text, .chat-text')?.textContent ?? ''),
    );
    return texts.map(plain);
  }

  async isAtEnd(): Promise<boolean> {
    const left = await this.page
      .getByTestId('chat-log')
      .evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    return left < 2;
  }

  /** Until the page shows what is stored: an answer is on the page before it is stored. */
  async untilShows(world: ChatWorld): Promise<void> {
    await vi.waitFor(async () => expect(await this.texts()).toEqual(await world.contents()), {
      timeout: LONG_TIMEOUT_MS,
    });
  }

  async untilAnswers(count: number): Promise<void> {
    await expect
      .poll(() => this.page.locator('[data-testid^="chat-message-"] .chat-text').count())
      .toBe(count);
  }
}

/** The text as it reads, whether as Markdown source or rendered. */
function plain(text: string): string {
  return text.replace(/^- /gm, '').replace(/\s+/g, ' ').trim();
}

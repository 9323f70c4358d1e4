import { type Project, projectSchema } from '@aizuchi/shared/contract/project';
import { type CreateTaskBody, type Task, taskSchema } from '@aizuchi/shared/contract/task';
import type { Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { ChatPage, ChatWorld } from '../../tests/e2e/web/support/chat-world.ts';
import { ScriptedChat } from '../../tests/e2e/web/support/scripted-world.ts';
import type { Language, Look } from './looks.ts';
import type { Person, Stage } from './stage.ts';

export const unread = z.unknown();
const credentialSchema = z.object({ id: z.string(), passkey: z.string() });

/** Where one state is shown in one look: a page that has nothing open yet, and what a state is made with. */
export class Scene {
  readonly page: Page;
  readonly stage: Stage;
  readonly look: Look;

  constructor(page: Page, stage: Stage, look: Look) {
    this.page = page;
    this.stage = stage;
    this.look = look;
  }

  get language(): Language {
    return this.stage.language;
  }
  get chat(): ChatPage {
    return new ChatPage(this.page);
  }

  /** The text in the language of the page. */
  say<T>(ja: T, en: T): T {
    return this.language === 'ja' ? ja : en;
  }

  at(testId: string): Locator {
    return this.page.getByTestId(testId);
  }

  async open(path: string): Promise<void> {
    await this.page.goto(path);
  }

  /** From now on this person is signed in here, and not the owner. */
  signInAs(person: Person): Promise<void> {
    return this.stage.signIn(this.page.context(), person);
  }

  newProject(name: string): Promise<Project> {
    return this.stage.owner.call(projectSchema, 'POST', '/projects', { name });
  }

  newTask({ id }: Pick<Project, 'id'>, body: CreateTaskBody): Promise<Task> {
    return this.stage.owner.call(taskSchema, 'POST', `/projects/${id}/tasks`, body);
  }

  /** A member of this project, who can sign in. */
  async newMember({ id }: Pick<Project, 'id'>, name: string): Promise<Person> {
    const body = { type: 'human', name, accessLevel: 'member', credential: true };
    const person = await this.stage.owner.call(credentialSchema, 'POST', '/agents', body);
    await this.join(id, person.id);
    return person;
  }

  async join(projectId: string, agentId: string): Promise<void> {
    await this.stage.owner.call(unread, 'PUT', `/projects/${projectId}/agents/${agentId}`);
  }

  /** A project with one agent; a built-in one unless the body says otherwise. */
  newWorld(name: string, agent: Record<string, unknown>, projectName: string): Promise<ChatWorld> {
    const id = this.stage.fresh(name);
    return ChatWorld.make(this.stage, `prj_${id}`, { id: `agt_${id}`, ...agent }, projectName);
  }

  /** A chat whose agent says what the state needs. */
  newScript(name: string, agentName: string, projectName: string): Promise<ScriptedChat> {
    return ScriptedChat.make(this.stage, this.stage.fresh(name), agentName, projectName);
  }

  /** Opens the chat; resolves when its agent is ready. */
  async untilReady({ path }: Pick<ChatWorld, 'path'>): Promise<ChatPage> {
    await this.open(path);
    await this.chat.sendButton.filter({ hasText: this.say('送信', 'Send') }).waitFor();
    return this.chat;
  }

  /** Until so many answers of an agent are on the page. */
  async untilAnswers(count: number): Promise<void> {
    await this.page
      .locator('[data-testid^="chat-message-"] .chat-text')
      .nth(count - 1)
      .waitFor();
  }
}

/** Until this has the focus. */
export const untilFocused = ({ page }: Scene, testId: string): Promise<void> =>
  page.getByTestId(testId).and(page.locator(':focus')).waitFor();

export function assert(isSo: boolean, sentence: string): void {
  if (!isSo) throw new Error(sentence);
}

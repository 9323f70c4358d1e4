import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeAgentProgram } from '../../../fixtures/agent-program.ts';
import { ChatWorld } from './chat-world.ts';
import type { Prepared } from './web.ts';

/** A chat whose agent says what the test wants (scripted-agent.ts). */
export class ScriptedChat {
  readonly world: ChatWorld;
  readonly #control: string;

  private constructor(world: ChatWorld, control: string) {
    this.world = world;
    this.#control = control;
  }

  static async make(
    web: Prepared,
    name: string,
    agentName: string,
    projectName?: string,
  ): Promise<ScriptedChat> {
    const home = web.product.environment.AIZUCHI_HOME ?? '';
    const source = new URL('scripted-agent.ts', import.meta.url);
    const { command, control } = await makeAgentProgram(home, name, source);
    const agent = { id: `agt_${name}`, name: agentName, provider: 'command', command };
    const world = await ChatWorld.make(web, `prj_${name}`, agent, projectName);
    return new ScriptedChat(world, control);
  }

  /** Writes the file atomically. */
  async put(name: string, content = ''): Promise<void> {
    const file = join(this.#control, name);
    await writeFile(`${file}.part`, content);
    await rename(`${file}.part`, file);
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#control, name), { force: true });
  }
}

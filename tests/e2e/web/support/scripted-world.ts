import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { ChatWorld } from './chat-world.ts';
import type { Web } from './web.ts';

/** A chat whose agent says what the test wants (scripted-agent.ts). */
export class ScriptedChat {
  readonly world: ChatWorld;
  readonly #control: string;

  private constructor(world: ChatWorld, control: string) {
    this.world = world;
    this.#control = control;
  }

  static async make(web: Web, name: string, agentName: string): Promise<ScriptedChat> {
    const home = web.product.environment.AIZUCHI_HOME ?? '';
    const control = join(home, '..', `control-${name}`);
    await mkdir(control, { recursive: true });
    await chmod(control, 0o777);
    const program = join(control, 'scripted-agent.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('scripted-agent.ts', import.meta.url))],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      conditions: ['source'],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    const world = await ChatWorld.make(web, `prj_${name}`, {
      id: `agt_${name}`,
      name: agentName,
      provider: 'command',
      command: { file: await nodeForAgents(home), args: [program, control], mode: 'resident' },
    });
    return new ScriptedChat(world, control);
  }

  /** Whole before it is seen. */
  async put(name: string, content = ''): Promise<void> {
    const file = join(this.#control, name);
    await writeFile(`${file}.part`, content);
    await rename(`${file}.part`, file);
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.#control, name), { force: true });
  }
}

/** A node that the agents' account may run: the supervisor has put one aside where the checkout's is private. */
async function nodeForAgents(home: string): Promise<string> {
  const names = await readdir(join(home, 'run', 'bin')).catch(() => []);
  const copy = names.find((name) => name.startsWith('node-'));
  return copy === undefined ? process.execPath : join(home, 'run', 'bin', copy);
}

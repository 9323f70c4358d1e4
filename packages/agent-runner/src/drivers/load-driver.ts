import type { Launch } from '@aizuchi/shared/contract/launch';
import type { Driver } from '../driver.ts';
import { LaunchError } from '../launch.ts';

/**
 * The driver of a launch. Each is a file of its own in the bundle, loaded only when it is needed: the library of one
 * provider takes longer to load than the rest of the runner. Throws LaunchError for a provider without a driver.
 */
export async function loadDriver(launch: Launch): Promise<Driver> {
  const { provider } = launch;
  switch (provider) {
    case 'builtin': {
      const { BuiltinDriver } = await import('./builtin.ts');
      return new BuiltinDriver();
    }
    case 'openai': {
      const { OpenAiDriver } = await import('./openai.ts');
      return new OpenAiDriver(launch);
    }
    case 'claude': {
      const { claudeDriver } = await import('./claude/claude-driver.ts');
      return claudeDriver(launch);
    }
    case 'acp': {
      const { command, model, apiKey } = launch;
      if (!command) throw new LaunchError('The launch line names no command for the agent.');
      const { AcpDriver } = await import('./acp/acp-driver.ts');
      return new AcpDriver({
        file: command.file,
        args: command.args,
        cwd: process.cwd(),
        env: process.env,
        ...(model !== undefined && { model }),
        ...(apiKey !== undefined && { apiKey }),
      });
    }
    default:
      throw new LaunchError(`This runner has no driver for the provider "${provider}".`);
  }
}

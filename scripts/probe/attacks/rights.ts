import { type Attack, must, mustAll } from '../attack.ts';

export const rights: readonly Attack[] = [
  {
    row: 18,
    name: 'folders and settings for members and viewers',
    limitMs: 30_000,
    pace: 'quiet',
    async run(world) {
      const project = await world.makeProject();
      must(project.folder !== '', 'not even an owner is told the folder');
      await world.makeAgent(project.id, {
        systemPrompt: 'a secret prompt',
        provider: 'command',
        command: { file: '/bin/true', args: ['secret-argument'] },
      });
      const tries: Record<string, () => Promise<void>> = {};
      for (const level of ['member', 'viewer'] as const) {
        const { caller } = await world.makePerson(level, [project.id]);
        for (const path of [
          '/projects',
          `/projects/${project.id}`,
          `/projects/${project.id}/agents`,
          '/agents',
        ])
          tries[`${level}: ${path.replace(project.id, ':pid')}`] = async () => {
            const { status, text } = await caller.ask('GET', path);
            must(status === 200, `answered ${status}`);
            const words = ['workingDirectory', project.folder, 'secret prompt', 'secret-argument'];
            const told = words.filter((word) => text.includes(word));
            must(told.length === 0, `tells ${told.join(', ')}`);
          };
        tries[`${level}: /settings`] = async () => {
          const { status } = await caller.ask('GET', '/settings');
          must(status === 403, `answered ${status}`);
        };
      }
      await mustAll(tries);
      return 'no folder, no command, no prompt and no settings';
    },
  },
];

import { projectSchema } from '@aizuchi/shared/contract/project';
import { type Attack, must, mustAll } from '../attack.ts';
import type { World } from '../world.ts';

const refusedNames: Attack = {
  row: 15,
  name: 'names that look like somebody else, or hide what they are',
  limitMs: 40_000,
  pace: 'quiet',
  async run(world) {
    const { id: projectId } = await world.makeProject();
    const word = world.word();
    // The agent to be imitated; the word holds no letter that has a look-alike.
    await world.makeAgent(projectId, { name: `Robot ${word}` });
    const names: Record<string, string> = {
      System: 'System',
      'system, written otherwise': 'SYSTEM',
      'System in full width': 'Ｓｙｓｔｅｍ',
      'System with a Cyrillic letter': 'Ѕystem',
      オーナー: 'オーナー',
      "the owner's own": world.ownersName,
      'a newline': 'Robot\nSystem',
      'a carriage return': 'Robot\rSystem',
      'an escape': 'Robot\u001b[2J',
      'zero width': `Robot\u200b ${word}`,
      'a joiner': `Ro\u2060bot ${word}`,
      'a soft hyphen': `Ro\u00adbot ${word}`,
      'a bidi override': 'Robot \u202emetsys',
      'a bidi isolate': 'Robot \u2066x\u2069',
      'tag characters': 'Robot\u{e0041}\u{e0042}',
      'Hangul filler': '\u3164',
      'the same again': `Robot ${word}`,
      'another case': `ROBOT ${word}`,
      'a Cyrillic letter': `Rоbot ${word}`,
      'another form of spaces': `Robot\u3000${word}`,
    };
    const tries = Object.entries(names).map(([what, name]) => [
      what,
      () => mustRefuse(world, projectId, name),
    ]);
    await mustAll(Object.fromEntries(tries));
    return `${Object.keys(names).length} names refused, of new agents and of renamed ones`;
  },
};

/** Tries the name for a new agent that becomes a member, and as a new name of a member. */
async function mustRefuse(world: World, projectId: string, name: string): Promise<void> {
  const id = `agt_probe_${world.word()}`;
  const created = await world.owner.ask('POST', '/agents', { id, name, type: 'ai', credential: false });
  if (created.status === 201) {
    world.remember(`/agents/${id}`);
    const joined = await world.owner.ask('PUT', `/projects/${projectId}/agents/${id}`);
    await world.owner.send('DELETE', `/agents/${id}`);
    must(joined.status >= 400 && joined.status < 500, 'accepted');
  } else must(created.status >= 400 && created.status < 500, `answered ${created.status}`);
  const other = await world.makeAgent(projectId, { credential: false });
  const renamed = await world.owner.ask('PATCH', `/agents/${other.id}`, { name });
  await world.owner.send('DELETE', `/agents/${other.id}`);
  must(renamed.status >= 400 && renamed.status < 500, `a member could be renamed so (${renamed.status})`);
}

const ordinaryNames: Attack = {
  row: 15,
  name: 'ordinary names',
  limitMs: 30_000,
  pace: 'quiet',
  async run(world) {
    const { id: projectId } = await world.makeProject();
    const names = ['田中 太郎', "O'Neill", '🦊 Fox', 'José María', 'Ольга', 'عمر', 'Zoë-2', '이영희'];
    const tries = names.map((name) => [
      name,
      async () => {
        const id = `agt_probe_${world.word()}`;
        const { status, text } = await world.owner.ask('POST', '/agents', {
          id,
          name,
          type: 'ai',
          credential: false,
        });
        must(status === 201, `refused: ${status} ${text}`);
        world.remember(`/agents/${id}`);
        const joined = await world.owner.ask('PUT', `/projects/${projectId}/agents/${id}`);
        must(joined.status === 200, `refused as a member: ${joined.status} ${joined.text}`);
      },
    ]);
    await mustAll(Object.fromEntries(tries));
    const project = await world.owner.get(projectSchema, 'GET', `/projects/${projectId}`);
    return `${names.length} accepted as members of ${project.name}`;
  },
};

export const names: readonly Attack[] = [refusedNames, ordinaryNames];

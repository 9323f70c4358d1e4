import { expect, test } from 'vitest';
import { findPartner, type ProjectAgent } from './find-partner.ts';

function agent(id: string, name: string, more: Partial<ProjectAgent> = {}): ProjectAgent {
  return { agent_id: id, name, type: 'ai', labels: [], is_self: false, active_sessions: 0, ...more };
}

const AGENTS = [
  agent('agt_me', 'しるべ', { is_self: true }),
  agent('agt_echo', 'こだま'),
  agent('agt_b', 'B'),
  agent('agt_b2', 'B2'),
  agent('taro', '太郎', { type: 'human' }),
];

test.each([
  ['こだまさんとしりとりを5往復してください', 'agt_echo'],
  ['Bとしりとりを5往復してください', 'agt_b'],
  ['B2とビー玉の話とかしりとりとか', 'agt_b2'],
  ['agt_echoとしりとりして', 'agt_echo'],
  ['Please play shiritori with b for three rounds, but be quick', 'agt_b'],
  ['ほかのエージェントとしりとりをして', 'agt_echo'],
  ['play shiritori with another agent', 'agt_echo'],
])('%s', (text, id) => {
  expect(findPartner(text, AGENTS)).toMatchObject({ kind: 'agent', agent: { agent_id: id } });
});

test('people, strangers, nobody', () => {
  expect(findPartner('太郎さんとしりとりして', AGENTS)).toMatchObject({ kind: 'person' });
  expect(findPartner('花子さんとしりとりして', AGENTS)).toEqual({ kind: 'unknown' });
  expect(findPartner('play shiritori with Zoe', AGENTS)).toEqual({ kind: 'unknown' });
  expect(findPartner('しりとりを5往復しよう', AGENTS)).toEqual({ kind: 'none_named' });
  expect(findPartner('あと5往復しりとりしたいと思います', AGENTS)).toEqual({ kind: 'none_named' });
  expect(findPartner('ほかのエージェントとしりとりをして', AGENTS.slice(0, 1))).toEqual({ kind: 'unknown' });
});

import type { ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import { companionPartOf } from './invite.ts';

export type ProjectAgent = ToolOutput<'list_project_agents'>['agents'][number];

export type Partner =
  | { readonly kind: 'agent' | 'person'; readonly agent: ProjectAgent }
  /** The text names an agent that is not in this project. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'none_named' };

const ANYBODY =
  /(?:ほか|他|別|べつ)の(?:エージェント|ひと|人|ai|メンバー)|だれか|誰か|\b(?:another|the other|any other) (?:agent|one|ai)\b|\bsome(?:one|body)\b|\banyone\b/;
const SOMEBODY =
  /(?:.)(?:さん|くん|君|ちゃん|様)?(?:と(?![いかき])|を相手に|相手に|を誘って)|\b(?:with|against)\s+\S/;

/** The partner that the person wants, by the id or the name in the text. */
export function findPartner(text: string, agents: readonly ProjectAgent[]): Partner {
  const normal = normalise(text).replace(/しりとり|シリトリ|尻取り/g, ' ');
  const others = agents.filter((agent) => !agent.is_self);
  const named = others
    .flatMap((agent) => [agent.agent_id, agent.name].map((name) => ({ agent, name: normalise(name) })))
    .filter(({ name }) => isNamed(name, normal))
    .sort((one, other) => other.name.length - one.name.length)[0]?.agent;
  if (named) return { kind: named.type === 'ai' ? 'agent' : 'person', agent: named };
  const anybody = ANYBODY.test(normal) ? others.find((agent) => agent.type === 'ai') : undefined;
  if (anybody) return { kind: 'agent', agent: anybody };
  return { kind: SOMEBODY.test(companionPartOf(normal)) || ANYBODY.test(normal) ? 'unknown' : 'none_named' };
}

/** A name in Latin letters counts as a word only: "B" does not stand in "board". */
function isNamed(name: string, text: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const around = `${text.charAt(at - 1)}${name.charAt(0)}|${name.slice(-1)}${text.charAt(at + name.length)}`;
    if (!/[a-z0-9_-]{2}/.test(around)) return true;
  }
  return false;
}

function normalise(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

import type { Conversation } from '@aizuchi/shared/contract/conversation';
import { isLive } from './outcome.ts';

export interface AgentLink {
  readonly from: string;
  readonly to: string;
  readonly messages: number;
  readonly live: boolean;
}

const DAY_MS = 24 * 60 * 60_000;

/**
 * The links between agents that had conversations in the last 24 hours, with their number; one link for each pair.
 */
export function agentLinks(conversations: readonly Conversation[], now: Date): readonly AgentLink[] {
  const links = new Map<string, AgentLink>();
  for (const one of conversations) {
    if (!isLive(one) && now.getTime() - Date.parse(one.createdAt) > DAY_MS) continue;
    const [from = '', to = ''] = [one.initiatorAgentId, one.participantAgentId].sort();
    const before = links.get(`${from} ${to}`);
    links.set(`${from} ${to}`, {
      from,
      to,
      messages: (before?.messages ?? 0) + one.messageCount,
      live: (before?.live ?? false) || isLive(one),
    });
  }
  return [...links.values()];
}

export interface GraphNode {
  readonly id: string;
  readonly x: number;
}
export interface GraphArc extends AgentLink {
  readonly path: string;
  /** The position of its number. */
  readonly x: number;
  readonly y: number;
}

const WIDTH = 312;
const BASE_Y = 86;
/** Rows of one, two, three … steps: the further apart, the higher the arc. */
const STEP_Y = 36;
const TOP_Y = 17;

/**
 * An arc diagram: agents on a line, arcs above it. If there are too many agents, those with the most messages are
 * shown.
 */
export function layOut(
  links: readonly AgentLink[],
  most = 5,
): { nodes: readonly GraphNode[]; arcs: readonly GraphArc[] } {
  const ids = new Set<string>();
  for (const { from, to } of links.toSorted((a, b) => b.messages - a.messages))
    if (new Set([...ids, from, to]).size <= most) ids.add(from).add(to);
  const order = [...ids].sort();
  const gap = WIDTH / Math.max(1, order.length);
  const nodes = order.map((id, index) => ({ id, x: gap * (index + 0.5) }));
  const xOf = new Map(nodes.map(({ id, x }) => [id, x]));
  const furthest = Math.max(1, order.length - 1);
  const arcs = links.flatMap((link): GraphArc[] => {
    const from = xOf.get(link.from);
    const to = xOf.get(link.to);
    if (from === undefined || to === undefined) return [];
    const steps = Math.abs(to - from) / gap;
    const y =
      furthest === 1
        ? BASE_Y - STEP_Y
        : BASE_Y - STEP_Y - ((steps - 1) * (BASE_Y - STEP_Y - TOP_Y)) / (furthest - 1);
    // A cubic Bézier curve reaches three quarters of the height of its control points.
    const handle = BASE_Y - ((BASE_Y - y) * 4) / 3;
    return [
      {
        ...link,
        path: `M${from} ${BASE_Y}C${from} ${handle} ${to} ${handle} ${to} ${BASE_Y}`,
        x: (from + to) / 2,
        y,
      },
    ];
  });
  return { nodes, arcs };
}

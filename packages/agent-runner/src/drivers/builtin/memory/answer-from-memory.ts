import { MEMORY_TOOL_LIMITS } from '@aizuchi/shared/contract/tools/memory-tools';
import type { AgentView } from '../../../driver.ts';
import { excerptOf } from '../excerpt.ts';
import type { MemoryRequest } from './memory-request.ts';
import { MEMORY_TEXTS } from './memory-texts.ts';
import { pickRemembered } from './pick-remembered.ts';

const TOPIC_LENGTH = 60;
const QUOTE_LENGTH = 200;

/** Quotes what was said, by whom and when; says so when that is nothing, or when it cannot be searched, or not in time. */
export async function answerFromMemory(
  request: MemoryRequest,
  messageId: string,
  { tools, agentName }: AgentView,
): Promise<string> {
  const texts = MEMORY_TEXTS[request.language];
  if (request.kind === 'remember') {
    await tools.call('remember', { text: request.text, idempotency_key: `remember:${messageId}` });
    return texts.remembered(excerptOf(request.text, QUOTE_LENGTH));
  }
  // As many as possible: the same question, asked before, is found as well, and is no answer.
  const wanted = { query: request.topic, limit: MEMORY_TOOL_LIMITS.items };
  const { run_id: runId, items, degraded } = await tools.call('recall', wanted);
  if (runId === null) return texts.away;
  const topic = excerptOf(request.topic, TOPIC_LENGTH);
  const picked = pickRemembered(request.topic, items);
  if (picked.length === 0) return degraded.includes('collector_late') ? texts.late : texts.nothing(topic);
  const entries = picked.map(({ text, said_by: by, source, local_time: at }) => ({
    by,
    source: by === agentName ? ('self' as const) : source,
    at,
    quote: excerptOf(text, QUOTE_LENGTH),
  }));
  return texts.found(topic, entries);
}

import { z } from 'zod';
import type { OfferedModels, OfferedModelsBody } from '../../contract/agent.ts';
import { type Person, requireOwner } from '../access/person.ts';

const WAIT_MS = 5_000;
const MAX_BYTES = 1_048_576;
const MAX_MODELS = 500;

/** What `GET …/models` of an OpenAI-compatible address answers; services add more. */
const listSchema = z.object({ data: z.array(z.object({ id: z.string().min(1).max(200) })) });

/**
 * The models that an address offers. It is asked without a key, which only Coordinators have, and from the host of this
 * process. Its answer is never passed on, only the names. An owner may set the same address as an agent's, whose runner
 * calls it as well.
 *
 * @throws AppError forbidden for people who are no owners.
 */
export async function offeredModels(person: Person, { baseUrl }: OfferedModelsBody): Promise<OfferedModels> {
  requireOwner(person);
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      // Another address than the one that was given is not asked.
      redirect: 'manual',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(WAIT_MS),
    });
    if (response.status === 401 || response.status === 403) return none(response, 'needs_key');
    if (!response.ok) return none(response, 'not_understood');
    const text = await readText(response);
    const list = text === undefined ? undefined : listSchema.safeParse(parsed(text));
    if (!list?.success) return { models: [], problem: 'not_understood' };
    const names = [...new Set(list.data.data.map(({ id }) => id))].sort((a, b) => a.localeCompare(b, 'en'));
    return { models: names.slice(0, MAX_MODELS) };
  } catch {
    return { models: [], problem: 'unreachable' };
  }
}

async function none(
  response: Response,
  problem: NonNullable<OfferedModels['problem']>,
): Promise<OfferedModels> {
  await response.body?.cancel();
  return { models: [], problem };
}

/** Undefined: it is longer than a list of models is. */
async function readText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { MODEL_LIMITS, type ModelOffer } from '@aizuchi/shared/contract/models';
import { storableText } from '@aizuchi/shared/core/rules/storable-text';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';

/** A model as a driver finds it; texts may be of any length. */
export interface FoundModel {
  readonly id: string;
  readonly name?: string | undefined;
  readonly about?: string | undefined;
}

/** It is a help for people: the session does not wait for it. */
const LIMIT_MS = 10_000;

/** Reports which models there are. The same list is reported once; a failure is in the log of the run only. */
export function modelReporter(
  client: Pick<ToolClient, 'callUntilAnswered'>,
  log: (sentence: string) => void,
): (found: readonly FoundModel[]) => void {
  let reported = '';
  return (found) => {
    const models = fitModels(found);
    const text = JSON.stringify(models);
    if (models.length === 0 || text === reported) return;
    reported = text;
    client
      .callUntilAnswered('report_models', { models }, { signal: AbortSignal.timeout(LIMIT_MS) })
      .catch((error: unknown) => log(`the models are not reported: ${error}`));
  };
}

/** Each id once. One whose id is too long cannot be chosen, and is left out. */
export function fitModels(found: readonly FoundModel[]): ModelOffer[] {
  const models = new Map<string, ModelOffer>();
  for (const { id, name, about } of found) {
    if (id === '' || id !== storableText(id) || id.length > MODEL_LIMITS.id || models.has(id)) continue;
    const fitting = { name: fit(name, MODEL_LIMITS.name), about: fit(about, MODEL_LIMITS.about) };
    models.set(id, {
      id,
      ...(fitting.name !== '' && fitting.name.toLowerCase() !== id.toLowerCase() && { name: fitting.name }),
      ...(fitting.about !== '' && { about: fitting.about }),
    });
  }
  return [...models.values()].slice(0, MODEL_LIMITS.models);
}

/** In one line. */
function fit(text: string | undefined, most: number): string {
  const line = storableText(text ?? '')
    .replace(/\s+/gu, ' ')
    .trim();
  return line.length <= most
    ? line
    : `${line
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`;
}

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Launch } from '@aizuchi/shared/contract/launch';
import { hidingKey } from '@aizuchi/shared/platform/secret-values';
import { extractReasoningMiddleware, type LanguageModel, wrapLanguageModel } from 'ai';
import { LaunchError } from '../../../launch.ts';
import { ModelFault } from './faults.ts';

/** The model of an agent, behind its address. */
export interface Endpoint {
  readonly model: LanguageModel;
  readonly modelName: string;
  readonly host: string;
  /** A text of the server without the key, which a careless one repeats. */
  readonly redact: (text: string) => string;
}

/** Throws LaunchError for a launch without address or model; the Coordinator has checked both. */
export function endpointOf({ baseUrl, model: modelName, apiKey }: Launch): Endpoint {
  if (!baseUrl || !URL.canParse(baseUrl)) throw new LaunchError('The launch names no address of a model.');
  if (!modelName) throw new LaunchError('The launch names no model.');
  const key = apiKey?.trim();
  const isSendable = !key || SENDABLE.test(key);
  const provider = createOpenAICompatible({
    name: 'endpoint',
    baseURL: baseUrl,
    // Else nothing is counted.
    includeUsage: true,
    // An error of `fetch` about a header repeats its value.
    ...(key && isSendable && { apiKey: key }),
    fetch: async (input, init) => {
      if (!isSendable) throw new ModelFault({ kind: 'badKey' });
      // The key and the chat go to the address that a person has entered, and nowhere else.
      const response = await fetch(input, { ...init, redirect: 'manual' });
      if (response.status < 300 || response.status >= 400) return response;
      await response.body?.cancel();
      throw new ModelFault({ kind: 'redirect' }, `${response.status}: a redirect`);
    },
  });
  // Local models often write what they think into the answer, in these tags.
  const middleware = extractReasoningMiddleware({ tagName: 'think' });
  return {
    model: wrapLanguageModel({ model: provider(modelName), middleware }),
    modelName,
    host: new URL(baseUrl).host,
    redact: hidingKey(key),
  };
}

/** What a header can hold. */
const SENDABLE = /^[\x20-\x7e]+$/;

import type { EmbeddingConfig, LanguageModelConfig, ModelConfig } from '../config/model-config.ts';
import type { Embedder, LanguageModel } from './model-ports.ts';

/** What is absent is not configured. */
export interface Models {
  readonly language?: LanguageModel;
  readonly embedder?: Embedder;
}

/** Until the first call nothing is loaded and nothing is asked. */
export function openModels({ language, embedding }: ModelConfig): Models {
  return {
    ...(language && { language: languageModel(language) }),
    ...(embedding && { embedder: embedder(embedding) }),
  };
}

/** A file of its own in the bundle (scripts/bootstrap/bundle.mjs): the library is larger than the rest of a service. */
const loadSdk = () => import('./ai-sdk.ts');

function languageModel(config: LanguageModelConfig): LanguageModel {
  const opened = once(async () => (await loadSdk()).openLanguageModel(config));
  return {
    warm: async () => void (await opened()),
    complete: async (request) => (await opened()).complete(request),
    async *stream(request) {
      yield* (await opened()).stream(request);
    },
  };
}

function embedder(config: EmbeddingConfig): Embedder {
  const opened = once(async () => (await loadSdk()).openEmbedder(config));
  return { embed: async (texts, signal) => (await opened()).embed(texts, signal) };
}

/** A failure is not remembered. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}

import { ExitError, exitCodes } from '../process-lifecycle.ts';
import type { Env, VariableName } from './env.ts';

export type LanguageProvider = 'openai-compatible' | 'anthropic';

/** The model that plans, selects and answers. */
export interface LanguageModelConfig {
  readonly provider: LanguageProvider;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly model: string;
}

export interface EmbeddingConfig {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly model: string;
}

/** What is absent is not configured. */
export interface ModelConfig {
  readonly language?: LanguageModelConfig;
  readonly embedding?: EmbeddingConfig;
}

export const modelVariables = [
  'LLM_PROVIDER',
  'LLM_BASE_URL',
  'LLM_API_KEY',
  'LLM_MODEL',
  'EMBEDDING_BASE_URL',
  'EMBEDDING_API_KEY',
  'EMBEDDING_MODEL',
] as const satisfies readonly VariableName[];

type ModelEnv = Env<(typeof modelVariables)[number]>;

/** Half a configuration is an error: nobody would notice that the model is never asked. */
export function modelConfig(env: ModelEnv): ModelConfig {
  const language = languageModel(env);
  const embedding = embeddingModel(env);
  return { ...(language && { language }), ...(embedding && { embedding }) };
}

function languageModel(env: ModelEnv): LanguageModelConfig | undefined {
  const { LLM_PROVIDER: given, LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey, LLM_MODEL: model } = env;
  if (given === undefined && !baseUrl && !apiKey && !model) return undefined;
  const provider = given ?? 'openai-compatible';
  if (!model) throw incomplete('LLM_MODEL', 'LLM_PROVIDER, LLM_BASE_URL or LLM_API_KEY is');
  if (provider === 'openai-compatible' && !baseUrl)
    throw incomplete('LLM_BASE_URL', 'LLM_PROVIDER is openai-compatible, which it is by default');
  if (provider === 'anthropic' && !apiKey) throw incomplete('LLM_API_KEY', 'LLM_PROVIDER is anthropic');
  return { provider, model, ...(baseUrl && { baseUrl }), ...(apiKey && { apiKey }) };
}

function embeddingModel(env: ModelEnv): EmbeddingConfig | undefined {
  const { EMBEDDING_BASE_URL: baseUrl, EMBEDDING_API_KEY: apiKey, EMBEDDING_MODEL: model } = env;
  if (!baseUrl && !apiKey && !model) return undefined;
  if (!baseUrl) throw incomplete('EMBEDDING_BASE_URL', 'EMBEDDING_MODEL or EMBEDDING_API_KEY is');
  if (!model) throw incomplete('EMBEDDING_MODEL', 'EMBEDDING_BASE_URL is');
  return { baseUrl, model, ...(apiKey && { apiKey }) };
}

function incomplete(name: string, because: string): ExitError {
  const when = because.endsWith(' is') ? `${because} set` : because;
  return new ExitError(exitCodes.configuration, `${name} must be set when ${when}.`);
}

import { z } from 'zod';
import { PROVIDER_NAMES } from '../core/agents/rules/providers.ts';
import { PURPOSES } from '../core/rules/work-key.ts';
import { agentCommandSchema } from './agent.ts';

/**
 * What the Coordinator gives to our own agent runner: one line of JSON on its stdin, which no other process can
 * read. Everything in it may be secret, so it is never logged.
 */
export const launchSchema = z.strictObject({
  /** The bearer of the session; absent for an agent without a credential. */
  ticket: z.string().min(1).optional(),
  runId: z.string(),
  agentId: z.string(),
  projectId: z.string(),
  purpose: z.enum(PURPOSES),
  /** A runner that was started before its run enters it. */
  workingDirectory: z.string().optional(),
  provider: z.enum(PROVIDER_NAMES),
  model: z.string().optional(),
  /** The endpoint of the model. */
  baseUrl: z.string().optional(),
  /** The value of the variable that the agent's `apiKeyEnv` names. */
  apiKey: z.string().optional(),
  /** The program that the runner starts: of provider `acp` the agent's, of `claude` what the Coordinator found. */
  command: agentCommandSchema.optional(),
  /** Variables of the agent, where its environment can be read by others: in the configuration of a container. */
  env: z.record(z.string(), z.string()).optional(),
});
export type Launch = z.infer<typeof launchSchema>;

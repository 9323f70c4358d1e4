import { methods } from '@agentclientprotocol/sdk';
import type { SessionOptions } from '../../../driver.ts';
import type { FoundModel } from '../../../session/report-models.ts';
import { ignoredSchema, type SessionState } from '../agent-messages.ts';
import { AcpFailure } from '../failures.ts';
import type { AgentPeer } from '../process/agent-peer.ts';

/** A request of Gemini CLI 0.61, from before models were a config option. */
const SET_MODEL = 'session/set_model';

/**
 * Sets a mode in which the agent asks before it acts, whatever the policy: our server applies that. Returns the modes that
 * it offers when none of them is known to, and throws AcpFailure when the agent refuses it.
 */
export async function setMode(
  peer: AgentPeer,
  sessionId: string,
  state: SessionState,
  { log }: Pick<SessionOptions, 'log'>,
): Promise<readonly string[] | undefined> {
  const option = optionOf(state, 'mode');
  const offered = state.modes?.availableModes.map(({ id }) => id) ?? option?.values.map(({ value }) => value);
  const mode = peer.known.modes.find((id) => offered?.includes(id));
  if (mode === undefined) {
    const modes = offered ?? [];
    const named = modes.join(', ') || 'none';
    log(`the agent has no known mode in which it asks (its modes: ${named}): it asks when it wants to`);
    return modes;
  }
  const current = state.modes?.currentModeId ?? option?.currentValue;
  if (mode === current) return undefined;
  if (state.modes) {
    await peer.startRequest(methods.agent.session.setMode, { sessionId, modeId: mode }, ignoredSchema);
  } else if (option) {
    await setOption(peer, sessionId, option.id, mode);
  }
  return undefined;
}

/** Sets the model of the agent's settings. Throws AcpFailure, with the models that there are, when it is not offered. */
export async function setModel(
  peer: AgentPeer,
  sessionId: string,
  state: SessionState,
  model: string,
): Promise<void> {
  const offered = modelsOf(state);
  if (offered.length === 0)
    throw new AcpFailure('the agent offers no choice of models', (texts) =>
      texts.noChoiceOfModel(peer.known.title, model),
    );
  const chosen =
    offered.find(({ id }) => id === model) ??
    offered.find(({ name }) => name?.toLowerCase() === model.toLowerCase());
  if (!chosen) {
    const names = offered.map(({ id }) => id);
    throw new AcpFailure(`there is no model ${model}`, (texts) => texts.unknownModel(model, names));
  }
  const option = optionOf(state, 'model');
  if (option) await setOption(peer, sessionId, option.id, chosen.id);
  else await peer.startRequest(SET_MODEL, { sessionId, modelId: chosen.id }, ignoredSchema);
}

/** The models that the agent offers; empty: no choice. */
export function modelsOf(state: SessionState): FoundModel[] {
  const option = optionOf(state, 'model');
  if (option) return option.values.map(({ value: id, name, description: about }) => ({ id, name, about }));
  const models = state.models?.availableModels ?? [];
  return models.map(({ modelId: id, name, description: about }) => ({ id, name, about }));
}

/** The model that the session uses now, as far as the agent says it. */
export function currentModel(state: SessionState): string | undefined {
  return optionOf(state, 'model')?.currentValue ?? state.models?.currentModelId;
}

function optionOf(state: SessionState, kind: 'mode' | 'model') {
  const option =
    state.configOptions?.find(({ category }) => category === kind) ??
    state.configOptions?.find(({ id }) => id === kind);
  return option && { ...option, values: option.options.flat() };
}

async function setOption(peer: AgentPeer, sessionId: string, configId: string, value: string): Promise<void> {
  await peer.startRequest(
    methods.agent.session.setConfigOption,
    { sessionId, configId, value },
    ignoredSchema,
  );
}

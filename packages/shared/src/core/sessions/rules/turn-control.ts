import type { SessionEnd, SessionState } from './session-machine.ts';

export const CONTROLS = ['interrupt', 'stop'] as const;
export type Control = (typeof CONTROLS)[number];

/** A runner sends its next heartbeat at once when one has returned: until then it is still in its turn. */
export const BETWEEN_BEATS_MS = 1_000;

export interface ControlView {
  readonly state: SessionState;
  readonly end: SessionEnd | null;
  /** The request of a person about the running turn; the answer clears it. */
  readonly control: Control | null;
  readonly offered: Control | null;
  readonly acknowledged: Control | null;
}

/** The control for the session, and whether an earlier offer of it was not acknowledged. */
export interface ControlOffer {
  readonly control: Control;
  readonly repeat: boolean;
}

/**
 * The control that a running turn must be given. Given once: otherwise a runner that holds its next heartbeat
 * would be answered at once, again and again. A close that waits for the answer stops nothing.
 */
export function decideControl(view: ControlView): ControlOffer | null {
  const wanted = wantedOf(view);
  if (wanted === null || wanted === view.acknowledged) return null;
  return { control: wanted, repeat: view.offered === wanted };
}

function wantedOf({ state, end, control }: ControlView): Control | null {
  if (state === 'active') return control;
  if (state === 'ended') return 'stop';
  return end?.action === 'exit' ? 'stop' : null;
}

import type { SessionEnd, SessionState } from './session-machine.ts';

export const CONTROLS = ['interrupt', 'stop'] as const;
export type Control = (typeof CONTROLS)[number];

export interface ControlView {
  readonly state: SessionState;
  readonly end: SessionEnd | null;
  /** What a person asked of the running turn; the answer clears it. */
  readonly control: Control | null;
  readonly offered: Control | null;
  readonly acknowledged: Control | null;
}

/** What is to be told, and whether an earlier telling was not seen to arrive. */
export interface ControlOffer {
  readonly control: Control;
  readonly repeat: boolean;
}

/**
 * What a running turn must hear. Once: a runner that goes on holding its heartbeat after it was told would else be
 * answered at once, again and again. A close that waits for the answer stops nothing.
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

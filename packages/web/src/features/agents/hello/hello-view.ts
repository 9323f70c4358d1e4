import { HELLO_STEPS, type Hello, type HelloStep } from './hello.ts';

type StepState = 'done' | 'current' | 'failed' | 'open';

export interface StepView {
  readonly step: HelloStep;
  readonly state: StepState;
  /** How long it took, or has taken so far; undefined where that was not seen. */
  readonly ms: number | undefined;
  /** It was over before the test began. */
  readonly wasReady: boolean;
}

/** The steps as they are shown: the test stops at the first one that fails, later ones stay open. */
export function stepsOf(hello: Hello, now: number): readonly StepView[] {
  const firstOpen = HELLO_STEPS.find((step) => hello.reached[step] === undefined);
  let since: number = hello.startedAt;
  return HELLO_STEPS.map((step, index): StepView => {
    const at = hello.reached[step];
    const wasReady = hello.isWarm && index < HELLO_STEPS.indexOf('delivered');
    if (at !== undefined) {
      const ms = at === null ? undefined : Math.max(0, at - since);
      since = at ?? since;
      return { step, state: 'done', ms, wasReady };
    }
    if (step !== firstOpen) return { step, state: 'open', ms: undefined, wasReady: false };
    const ms = Math.max(0, (hello.fault?.at ?? now) - since);
    return { step, state: hello.fault ? 'failed' : 'current', ms, wasReady: false };
  });
}

/** From the beginning to the answer. */
export function totalMs({ startedAt, reached: { answered } }: Hello): number | undefined {
  return typeof answered === 'number' ? answered - startedAt : undefined;
}

/** A model that works says the word that it was asked for; a fault of it is described in its answer, too. */
export function saysWord({ answer, word }: Hello): boolean {
  return answer?.content.toLowerCase().includes(word.toLowerCase()) ?? false;
}

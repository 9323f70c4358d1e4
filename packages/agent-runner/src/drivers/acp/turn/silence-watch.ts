export interface SilenceOptions {
  readonly quietMs: number;
  readonly silentMs: number;
  /** Called once for each silence. */
  readonly onQuiet: () => void;
  /** Called once. */
  readonly onSilent: () => void;
}

/** Notices when nothing comes from an agent that has to work. The time in which it waits for a person does not count. */
export class SilenceWatch {
  readonly #options: SilenceOptions;
  #timer: NodeJS.Timeout | undefined;
  #holds = 0;
  #isStopped = false;

  constructor(options: SilenceOptions) {
    this.#options = options;
    this.heard();
  }

  /** A sign of the agent. */
  heard(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || this.#holds > 0) return;
    const { quietMs, silentMs, onQuiet, onSilent } = this.#options;
    this.#timer = setTimeout(() => {
      onQuiet();
      this.#timer = setTimeout(() => {
        this.stop();
        onSilent();
      }, silentMs - quietMs);
    }, quietMs);
  }

  /** No silence counts until what it returns is called. Holds may overlap. */
  hold(): () => void {
    this.#holds += 1;
    clearTimeout(this.#timer);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#holds -= 1;
      this.heard();
    };
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}

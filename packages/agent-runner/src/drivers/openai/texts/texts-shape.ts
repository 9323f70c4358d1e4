/** What the driver says to a person by itself. Each says what happened and what to do. */
export interface OpenAiTexts {
  readonly fault: {
    readonly auth: (status: number) => string;
    readonly model: (model: string) => string;
    readonly address: string;
    readonly quota: string;
    readonly rate: (seconds: number | undefined) => string;
    readonly server: (status: number) => string;
    readonly unreachable: (host: string) => string;
    readonly cut: string;
    readonly silent: (seconds: number) => string;
    readonly tooLong: string;
    readonly refused: (reason: string) => string;
    readonly badReply: string;
    readonly filtered: string;
    readonly cutShort: string;
    readonly empty: string;
    readonly tooManySteps: (steps: number) => string;
    readonly endless: string;
    readonly redirect: string;
    readonly badKey: string;
  };
  /** Titles of steps. */
  readonly thinking: string;
  readonly waiting: (seconds: number) => string;
}

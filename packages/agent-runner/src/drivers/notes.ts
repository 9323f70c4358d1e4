import type { MessageSource } from '@aizuchi/shared/contract/tools/chat-tools';

interface Note {
  readonly text: string;
  /** For the person there: another agent must not be told it in their place. */
  readonly isForChat: boolean;
}

/** What happened without a turn, and what the model is to be told with the next message. */
export class Notes {
  #notes: readonly Note[] = [];

  add(text: string, isForChat = false): void {
    this.#notes = [...this.#notes, { text, isForChat }];
  }

  /** Those for a turn of this source. `giveBack`: the model has not heard them. */
  take({ kind }: Pick<MessageSource, 'kind'>): {
    readonly texts: readonly string[];
    giveBack(): void;
  } {
    const isMeant = ({ isForChat }: Note) => kind === 'chat' || !isForChat;
    const taken = this.#notes.filter(isMeant);
    this.#notes = this.#notes.filter((note) => !isMeant(note));
    return {
      texts: taken.map(({ text }) => text),
      giveBack: () => {
        this.#notes = [...taken, ...this.#notes];
      },
    };
  }
}

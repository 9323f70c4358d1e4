interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/** In UTF-16 code units. */
export const PROGRAM_KEY_LENGTH = 500;

/**
 * What two commands have in common that start the same program, wherever it is installed. Empty without a command.
 * Longer ones are cut, between characters.
 */
export function programKey(command: Command | undefined): string {
  if (!command) return '';
  const name = command.file.split('/').at(-1) ?? '';
  return [...[name, ...command.args].join(' ')].slice(0, PROGRAM_KEY_LENGTH / 2).join('');
}

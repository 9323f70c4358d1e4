import clsx from 'clsx';

interface ChoiceChipsProps<T extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly choices: readonly { readonly value: T; readonly text: string; readonly count?: number }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly testId: string;
}

/** One of a few, as chips in a row. */
export function ChoiceChips<T extends string>({
  label,
  choices,
  value,
  onChange,
  testId,
}: ChoiceChipsProps<T>) {
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1.5">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          data-testid={`${testId}-${choice.value}`}
          onClick={() => onChange(choice.value)}
          className={clsx(
            'num inline-flex h-6 items-center gap-1 rounded-sm border px-2 text-12 whitespace-nowrap pointer-coarse:min-h-9',
            choice.value === value
              ? 'border-accent-line bg-accent-soft font-medium text-accent-ink'
              : 'border-line bg-surface text-ink-2 hover:bg-hover',
          )}
        >
          {choice.text}
          {choice.count !== undefined && <span>{choice.count}</span>}
        </button>
      ))}
    </fieldset>
  );
}

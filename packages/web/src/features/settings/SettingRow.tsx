import { type ReactNode, useId } from 'react';
import { Icon } from '../../components/Icon.tsx';

interface SettingRowProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** Gets the attributes that connect the control with its label and hint. */
  readonly children: (control: { id: string; 'aria-describedby': string | undefined }) => ReactNode;
  readonly error?: ReactNode;
}

/** One setting: label and hint on the left, the control on the right, at 360 px below. */
export function SettingRow({ label, hint, error, children }: SettingRowProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-2 px-4 py-3">
      <div className="flex items-center justify-between gap-x-8 gap-y-2 max-sm:flex-col max-sm:items-stretch">
        <div className="min-w-0 sm:max-w-[360px]">
          <label htmlFor={id} className="text-13 font-medium">
            {label}
          </label>
          {hint !== undefined && (
            <p id={`${id}-hint`} className="mt-0.5 text-12 text-pretty text-ink-2">
              {hint}
            </p>
          )}
        </div>
        <div className="flex flex-none items-center gap-2 max-sm:w-full sm:min-w-[152px] sm:justify-end">
          {children({ id, 'aria-describedby': hint === undefined ? undefined : `${id}-hint` })}
        </div>
      </div>
      {error}
    </div>
  );
}

/** A value that cannot be changed here, and why. */
export function FixedValue({
  id,
  value,
  reason,
  testId,
}: {
  readonly id?: string;
  readonly value: ReactNode;
  readonly reason: string;
  readonly testId?: string;
}) {
  return (
    <output
      id={id}
      data-testid={testId}
      className="flex min-h-8 items-center gap-2 rounded-md border border-dashed border-line-strong bg-sunken px-2.5 text-13 text-ink-2"
    >
      <Icon name="key" size={14} />
      <span className="num">{value}</span>
      <span className="h-4 w-px bg-line-strong" />
      <span className="text-12">{reason}</span>
    </output>
  );
}

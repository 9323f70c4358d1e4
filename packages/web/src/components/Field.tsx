import clsx from 'clsx';
import { type ComponentProps, type ReactNode, useId } from 'react';

const CONTROL =
  'w-full min-w-0 rounded-md border border-line-strong bg-surface px-2.5 text-13 text-ink pointer-coarse:text-16 disabled:bg-sunken disabled:text-ink-3 aria-invalid:border-red';

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  /** Gets the attributes that connect the control with its label, hint and error. */
  readonly children: (control: ControlProps) => ReactNode;
}

interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/** A form field: label, control, hint and error. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-12 font-medium text-ink-2">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
        'aria-invalid': error ? true : undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className="text-12 text-ink-3">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-12 text-red-ink">
          {error}
        </p>
      )}
    </div>
  );
}

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input {...props} className={clsx(CONTROL, 'h-8 pointer-coarse:h-10', className)} />;
}

export function TextArea({ className, ...props }: ComponentProps<'textarea'>) {
  return (
    <textarea
      {...props}
      className={clsx(CONTROL, 'field-sizing-content min-h-16 max-h-[50dvh] py-1.5', className)}
    />
  );
}

export function Select({ className, ...props }: ComponentProps<'select'>) {
  return <select {...props} className={clsx(CONTROL, 'h-8 pointer-coarse:h-10', className)} />;
}

import { CopyButton } from './CopyButton.tsx';

/** A command or a file with a copy button. */
export function CodeToCopy({
  code,
  label,
  testId,
}: {
  readonly code: string;
  readonly label: string;
  readonly testId?: string;
}) {
  return (
    <div className="relative rounded-md border border-line bg-sunken">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys.
        tabIndex={0}
        aria-label={label}
        className="max-h-72 overflow-auto rounded-md py-2 pr-24 pl-3"
      >
        <pre data-testid={testId} className="font-mono text-12 leading-5 whitespace-pre-wrap wrap-anywhere">
          {code}
        </pre>
      </section>
      <span className="absolute top-1.5 right-1.5">
        <CopyButton text={code} label={label} {...(testId && { testId: `${testId}-copy` })} />
      </span>
    </div>
  );
}

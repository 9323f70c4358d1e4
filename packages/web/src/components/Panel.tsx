import type { ReactNode } from 'react';

/** A bordered box with rows, and its title above. */
export function Panel({
  title,
  aside,
  children,
}: {
  readonly title?: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="flex flex-col gap-2">
      {(title || aside) && (
        <div className="flex min-h-6 items-center gap-2">
          {title && <h2 className="text-13 font-semibold">{title}</h2>}
          <span className="flex-1" />
          {aside}
        </div>
      )}
      <div className="min-w-0 divide-y divide-line rounded-md border border-line bg-surface">{children}</div>
    </section>
  );
}

/** A page to read from top to bottom: gutter 24, at most 720 wide. */
export function ReadingPage({
  title,
  aside,
  children,
}: {
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard, also when nothing in it can be used.
      tabIndex={0}
      // Positioned, so that it clips texts for screen readers: else they lengthen the page.
      className="relative h-full overflow-y-auto -outline-offset-2"
    >
      <div className="mx-auto flex max-w-[768px] flex-col gap-6 px-4 py-5 sm:px-6">
        <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-2">
          <h1 className="text-16 font-semibold">{title}</h1>
          <div className="ml-auto flex flex-wrap items-center justify-end gap-2">{aside}</div>
        </div>
        {children}
      </div>
    </section>
  );
}

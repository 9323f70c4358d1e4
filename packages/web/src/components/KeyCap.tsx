/** A keyboard key in a hint. */
export function KeyCap({ children }: { readonly children: string }) {
  return (
    <kbd className="inline-flex h-4 min-w-4 items-center justify-center rounded-sm border border-line-strong bg-surface px-1 font-sans text-[10px] leading-[14px] text-ink-2">
      {children}
    </kbd>
  );
}

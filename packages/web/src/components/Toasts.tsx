import 'sonner/dist/styles.css';
import { useEffect } from 'react';
import { Toaster, toast } from 'sonner';
import { useStore } from '../lib/store.ts';
import { theme } from '../lib/theme.ts';
import { drawToasts } from '../lib/toast.ts';

/** A chunk of its own: `app/shell/LateToasts` has it loaded. */
export function Toasts() {
  const mode = useStore(theme);
  // The effect of the Toaster runs before this one: from here on it misses no toast.
  useEffect(() => {
    drawToasts(toast);
    return () => drawToasts(undefined);
  }, []);
  return (
    <Toaster
      theme={mode}
      position="bottom-left"
      closeButton
      // Above the bar at the foot of a phone.
      mobileOffset={{ bottom: 'calc(69px + env(safe-area-inset-bottom))' }}
      style={{ fontFamily: 'inherit' }}
      className="[--border-radius:var(--radius-md)]! [--normal-bg:var(--color-surface)]! [--normal-border:var(--color-line-strong)]! [--normal-text:var(--color-ink)]!"
      toastOptions={{
        style: { boxShadow: 'none' },
        actionButtonStyle: { background: 'var(--color-accent)', color: 'var(--color-on-accent)' },
      }}
    />
  );
}

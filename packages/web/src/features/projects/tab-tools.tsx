import { createContext, type ReactNode, useContext, useState } from 'react';
import { createPortal } from 'react-dom';

interface Target {
  readonly element: HTMLElement | null;
  readonly setElement: (element: HTMLElement | null) => void;
}

const TargetContext = createContext<Target | undefined>(undefined);

export function ToolsProvider({ children }: { readonly children: ReactNode }) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  return <TargetContext value={{ element, setElement }}>{children}</TargetContext>;
}

export function ToolsTarget() {
  const target = useContext(TargetContext);
  return <div ref={target?.setElement} className="ml-auto flex flex-none items-center gap-2 empty:hidden" />;
}

/** Buttons of a tab's page at the right end of the tabs: filter, new task. */
export function TabTools({ children }: { readonly children: ReactNode }) {
  const target = useContext(TargetContext);
  return target?.element ? createPortal(children, target.element) : null;
}

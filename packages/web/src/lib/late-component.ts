import { type ComponentType, createElement, type ReactNode, useEffect } from 'react';
import { Store, useStore } from './store.ts';

export interface LateComponent<P> {
  (props: P): ReactNode;
  /** Undefined until it is loaded. */
  readonly code: Store<ComponentType<P> | undefined>;
  /** Never fails: what could not be loaded is asked for again by the next call, and by the next one that is drawn. */
  readonly preload: () => Promise<void>;
}

/**
 * Whether some code could not be loaded: a laptop that changes its network loses what is on its way. Browsers keep the
 * failure for as long as the document lives, so another attempt needs another document.
 */
export const lacksCode = new Store(false);

/**
 * Code that the page loads unasked, and can do without: until it is there, also when it cannot be loaded, `instead` is
 * drawn, or nothing. `lazyRouteComponent` would load the page anew, and `lazy` would take its surroundings down.
 */
export function lateComponent<P extends object>(
  load: () => Promise<ComponentType<P>>,
  instead?: ComponentType<P>,
): LateComponent<P> {
  const code = new Store<ComponentType<P> | undefined>(undefined);
  let loading: Promise<void> | undefined;
  const preload = () => {
    loading ??= load().then(
      (loaded) => code.set(loaded),
      () => {
        loading = undefined;
        lacksCode.set(true);
      },
    );
    return loading;
  };
  const Late = (props: P) => {
    const shown = useStore(code) ?? instead;
    useEffect(() => void preload(), []);
    return shown ? createElement(shown, props) : null;
  };
  return Object.assign(Late, { code, preload });
}

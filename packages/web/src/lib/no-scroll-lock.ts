import { createElement, type ElementType, type ReactNode } from 'react';

interface RemoveScrollProps {
  readonly as?: ElementType;
  readonly children?: ReactNode;
  readonly [prop: string]: unknown;
}

/** What the original takes for itself; everything else belongs to the element. */
const OWN = new Set(['as', 'shards', 'allowPinchZoom', 'enabled', 'removeScrollBar', 'noIsolation', 'inert']);

/**
 * Stands in for react-remove-scroll, which Radix wraps around dialogs and menus: it writes a <style>, which the
 * page's policy refuses, to lock a body that never scrolls here.
 */
export function RemoveScroll({ as = 'div', children, ...props }: RemoveScrollProps) {
  const rest = Object.fromEntries(Object.entries(props).filter(([name]) => !OWN.has(name)));
  return createElement(as, rest, children);
}

import { createElement, type ElementType, type ReactNode } from 'react';

interface RemoveScrollProps {
  readonly as?: ElementType;
  readonly children?: ReactNode;
  readonly [prop: string]: unknown;
}

/** The props of the original component; all others are passed to the element. */
const OWN = new Set(['as', 'shards', 'allowPinchZoom', 'enabled', 'removeScrollBar', 'noIsolation', 'inert']);

/**
 * Replaces react-remove-scroll, which Radix wraps around dialogs and menus: it adds a <style>, which the page's policy
 * refuses, to lock a body that never scrolls here.
 */
export function RemoveScroll({ as = 'div', children, ...props }: RemoveScrollProps) {
  const rest = Object.fromEntries(Object.entries(props).filter(([name]) => !OWN.has(name)));
  return createElement(as, rest, children);
}

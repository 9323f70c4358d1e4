import { Slot } from 'radix-ui';
import {
  type ComponentProps,
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useLayoutEffect,
  useState,
} from 'react';

type TriggerProps = ComponentProps<'button'>;

/** Between a trigger, which is there from the start, and the code of what it opens, which is loaded later. */
export interface TriggerLink {
  element: HTMLElement | null;
  /** What Radix wants to hear of the trigger; undefined until its code is there. */
  handlers: TriggerProps | undefined;
  /** What the person did before that. It is done again once the code is there. */
  missed: Event | undefined;
  readonly attach: (element: HTMLElement | null) => void;
}

const EVENTS = [
  'onPointerDown',
  'onPointerMove',
  'onPointerLeave',
  'onKeyDown',
  'onFocus',
  'onBlur',
  'onClick',
] as const;
const ATTRIBUTES = ['id', 'aria-haspopup', 'aria-expanded', 'aria-controls', 'aria-describedby'] as const;

export function useTriggerLink(): TriggerLink {
  const [link] = useState((): TriggerLink => {
    const made: TriggerLink = {
      element: null,
      handlers: undefined,
      missed: undefined,
      attach: (element) => {
        made.element = element;
      },
    };
    return made;
  });
  return link;
}

interface LateTriggerProps extends Omit<TriggerProps, 'ref'> {
  readonly link: TriggerLink;
  /** One focusable element. */
  readonly children: ReactNode;
}

/** The element stays the same when the code arrives: neither its focus nor a press is lost. */
export function LateTrigger({ link, children, ...early }: LateTriggerProps) {
  const handlers = Object.fromEntries(
    EVENTS.map((name) => [name, (event: never) => (link.handlers ?? early)[name]?.(event)]),
  );
  return (
    <Slot.Root {...early} {...handlers} ref={link.attach}>
      {children}
    </Slot.Root>
  );
}

interface LinkedTriggerProps extends Omit<TriggerProps, 'ref'> {
  readonly link: TriggerLink;
  readonly ref?: Ref<HTMLElement | null>;
}

/** The child of a Radix trigger (`asChild`): hands what Radix adds to its trigger over to the element that is there. */
export function LinkedTrigger({ link, ref, ...props }: LinkedTriggerProps) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => link.element, [link]);
  useLayoutEffect(() => {
    link.handlers = props;
    for (const name of ATTRIBUTES) {
      const value = props[name];
      // React does not undo it: what React itself renders there does not change.
      if (value === undefined) link.element?.removeAttribute(name);
      else link.element?.setAttribute(name, String(value));
    }
  });
  useLayoutEffect(
    () => () => {
      link.handlers = undefined;
    },
    [link],
  );
  return null;
}

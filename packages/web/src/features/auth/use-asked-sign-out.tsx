import type { Agent } from '@aizuchi/shared/contract/agent';
import { type ReactNode, useState } from 'react';
import { lateComponent } from '../../lib/late-component.ts';
import { useSignOut } from './use-sign-out.ts';

const SignOutQuestion = lateComponent(async () => (await import('./SignOutQuestion.tsx')).SignOutQuestion);

/** Signs out; asks first who came by a link and has no passkey, because the link works only once. */
export function useAskedSignOut(me: Pick<Agent, 'hasCredential'> | undefined): {
  readonly signOut: () => void;
  readonly question: ReactNode;
} {
  const { mutate } = useSignOut();
  const [isAsked, setIsAsked] = useState(false);
  return {
    signOut: () => (me?.hasCredential === false ? setIsAsked(true) : mutate()),
    question: isAsked && <SignOutQuestion onOpenChange={setIsAsked} onConfirm={() => mutate()} />,
  };
}

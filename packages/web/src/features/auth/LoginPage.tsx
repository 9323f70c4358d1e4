import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { LanguageSwitch, ThemeSwitch } from '../../app/shell/Switches.tsx';
import { Logo } from '../../app/shell/TopBar.tsx';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Field, Input } from '../../components/Field.tsx';
import { PhaseLine } from '../../components/Spinner.tsx';
import { isCode } from '../../lib/api/api-error.ts';
import { formText } from '../../lib/form.ts';
import { session } from '../../lib/session.ts';
import { useStore } from '../../lib/store.ts';
import { useSignIn } from './use-sign-in.ts';

const route = getRouteApi('/login');

export function LoginPage() {
  const { t } = useTranslation();
  const { next } = route.useSearch();
  const signIn = useSignIn(next);
  const isLink = useLinkCode((code) => signIn.mutate({ code }));
  const { ended } = useStore(session);
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-(--h-top) items-center justify-end gap-1 px-4">
        <LanguageSwitch />
        <ThemeSwitch />
      </header>
      <main id="content" className="mx-auto flex w-full max-w-[360px] flex-col gap-5 px-4 pt-[12dvh] pb-10">
        <div className="flex flex-col gap-2">
          <h1 className="flex items-center gap-2 text-20 font-semibold">
            <Logo />
            Aizuchi
          </h1>
          <p className="text-13 text-pretty text-ink-2">{t('auth.intro')}</p>
        </div>
        {isLink && signIn.isPending && <PhaseLine>{t('auth.linkWorking')}</PhaseLine>}
        {ended && !signIn.error && (
          <p role="status" className="rounded-md border border-line bg-surface px-3 py-2 text-13 text-ink-2">
            {t(ended === 'expired' ? 'auth.expired' : 'auth.signedOut')}
          </p>
        )}
        <SignInForm signIn={signIn} isLink={isLink} />
        <p className="text-12 text-pretty text-ink-3">{t('auth.help')}</p>
      </main>
    </div>
  );
}

interface SignInFormProps {
  readonly signIn: ReturnType<typeof useSignIn>;
  /** The address carried a sign-in code. */
  readonly isLink: boolean;
}

function SignInForm({ signIn, isLink }: SignInFormProps) {
  const { t } = useTranslation();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    signIn.mutate({ agentId: formText(form, 'agentId'), passkey: String(form.get('passkey') ?? '') });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4 rounded-md border border-line bg-surface p-4">
      <Field label={t('auth.agentId')}>
        {(control) => (
          <Input
            {...control}
            name="agentId"
            required
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            data-testid="login-agent-id"
          />
        )}
      </Field>
      <Field label={t('auth.passkey')}>
        {(control) => (
          <Input
            {...control}
            name="passkey"
            type="password"
            required
            autoComplete="current-password"
            data-testid="login-passkey"
          />
        )}
      </Field>
      <SignInError
        error={signIn.error}
        isLink={isLink && signIn.variables !== undefined && 'code' in signIn.variables}
      />
      <Button
        type="submit"
        variant="primary"
        isBusy={signIn.isPending}
        data-testid="login-submit"
        className="w-full"
      >
        {t('auth.submit')}
      </Button>
    </form>
  );
}

function SignInError({ error, isLink }: { readonly error: Error | null; readonly isLink: boolean }) {
  const { t } = useTranslation();
  if (!error) return null;
  if (!isCode(error, 'unauthenticated')) return <ErrorNote error={error} />;
  return (
    <p role="alert" className="text-13 text-red-ink">
      {t(isLink ? 'auth.linkRefused' : 'auth.refused')}
    </p>
  );
}

/** `/login#code=…`: the code is used at once and removed from the address and the history. */
function useLinkCode(use: (code: string) => void): boolean {
  const code = useRef(new URLSearchParams(location.hash.slice(1)).get('code'));
  const isUsed = useRef(false);
  // A code works once.
  useEffect(() => {
    if (code.current === null || isUsed.current) return;
    isUsed.current = true;
    history.replaceState(history.state, '', location.pathname + location.search);
    use(code.current);
  }, []);
  return code.current !== null;
}

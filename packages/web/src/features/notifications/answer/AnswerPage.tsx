import type { LinkedQuestion } from '@aizuchi/shared/contract/notification';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Logo } from '../../../app/shell/TopBar.tsx';
import { Button } from '../../../components/Button.tsx';
import { PhaseLine } from '../../../components/Spinner.tsx';
import { ApiError } from '../../../lib/api/api-error.ts';
import { callApi } from '../../../lib/api/call-api.ts';
import { clockTime } from '../../../lib/time.ts';

/**
 * The page of an answer link, for who is signed in and who is not. Nothing is answered before the button is pressed: what
 * only looks at addresses, as chats do for a preview, answers nothing.
 */
export function AnswerPage() {
  const { t } = useTranslation();
  const [link] = useState(readLink);
  const { data, error } = useLinked(link.token);
  return (
    <main
      id="content"
      className="mx-auto flex min-h-dvh w-full max-w-[480px] flex-col gap-4 px-4 pt-[8dvh] pb-10"
    >
      <h1 className="flex items-center gap-2 text-16 font-semibold">
        <Logo />
        {t('notify.answerTitle')}
      </h1>
      {error && <Refusal error={error} />}
      {!data && !error && <PhaseLine>{t('common.loading')}</PhaseLine>}
      {data && <AnswerForm token={link.token} question={data} chosen={link.option} />}
      <a href="/inbox" className="text-13 text-accent-ink underline">
        {t('notify.answerOpen')}
      </a>
    </main>
  );
}

interface Loaded {
  readonly data?: LinkedQuestion;
  readonly error?: Error;
}

/** Not by the query client: App.tsx clears that where nobody is signed in. */
function useLinked(token: string): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({});
  useEffect(() => {
    const over = new AbortController();
    callApi('lookAtAnswerLink', { body: { token }, signal: over.signal }).then(
      (data) => setLoaded({ data }),
      (error: unknown) => {
        if (!over.signal.aborted && error instanceof Error) setLoaded({ error });
      },
    );
    return () => over.abort();
  }, [token]);
  return loaded;
}

function Refusal({ error }: { readonly error: Error }) {
  const { t } = useTranslation();
  const isLink = error instanceof ApiError && error.status !== undefined && error.status < 500;
  return (
    <p role="alert" className="text-13 text-red-ink">
      {t(isLink ? 'errors.answer_link_not_found' : 'errors.unknown')}
    </p>
  );
}

interface AnswerFormProps {
  readonly token: string;
  readonly question: LinkedQuestion;
  /** The option of the button that led here. */
  readonly chosen: string | undefined;
}

function AnswerForm({ token, question, chosen }: AnswerFormProps) {
  const { t, i18n } = useTranslation();
  const answer = useMutation({
    mutationFn: (option: number) => callApi('giveLinkedAnswer', { body: { token, option } }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    answer.mutate(Number(new FormData(event.currentTarget).get('option')));
  };
  if (answer.isSuccess)
    return (
      <p role="status" data-testid="answer-sent" className="text-13">
        {t('notify.answered')}
      </p>
    );
  const { agent, project, expiresAt } = question;
  const at = expiresAt && clockTime(new Date(expiresAt), i18n.language);
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <p className="text-12 text-ink-2">
        {t('notify.answerFrom', { agent, project })}
        {at && ` · ${t('notify.answerUntil', { at })}`}
      </p>
      <fieldset className="flex flex-col gap-2">
        <legend dir="auto" className="mb-2 text-16 font-medium whitespace-pre-wrap wrap-anywhere">
          {question.question}
        </legend>
        {question.options.map(({ label, description }, index) => (
          <label
            key={label}
            className="flex min-h-11 items-start gap-3 rounded-md border border-line bg-surface px-3 py-2 has-checked:border-accent"
          >
            <input
              type="radio"
              name="option"
              value={index}
              required
              defaultChecked={chosen === String(index)}
              className="mt-1 accent-accent"
            />
            <span className="min-w-0">
              <span dir="auto" className="block text-13 font-medium wrap-anywhere">
                {label}
              </span>
              {description && (
                <span dir="auto" className="block text-12 wrap-anywhere text-ink-2">
                  {description}
                </span>
              )}
            </span>
          </label>
        ))}
      </fieldset>
      {answer.error && <Refusal error={answer.error} />}
      <Button type="submit" variant="primary" isBusy={answer.isPending} data-testid="answer-send">
        {t('notify.answerSend')}
      </Button>
    </form>
  );
}

/** `card.channel.proof`, and the option that was pressed. In the hash, which no server and no log of one sees. */
function readLink(): { readonly token: string; readonly option: string | undefined } {
  const parts = location.hash.slice(1).split('.');
  return { token: parts.slice(0, 3).join('.'), option: parts[3] };
}

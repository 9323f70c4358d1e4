import { useTranslation } from 'react-i18next';
import { CodeToCopy } from '../../CodeToCopy.tsx';
import type { ProgramStatus } from './program-status.ts';

interface ProgramRemedyProps {
  readonly status: ProgramStatus | undefined;
  /** Its executable, and how it is installed; a command of a shell, or a sentence. */
  readonly file: string;
  readonly install: string;
}

/** What a person does so that the program can be used: one sentence, and what is run. Nothing when all is well. */
export function ProgramRemedy({ status, file, install }: ProgramRemedyProps) {
  const { t } = useTranslation();
  if (status?.kind !== 'known' || status.fitness === 'ready') return null;
  const { fitness, host, program } = status;
  const code = fitness === 'sign_in_missing' ? program.signIn : fitness === 'probably' ? undefined : install;
  const shows = fitness !== 'not_allowed' && fitness !== 'not_executable' && code !== undefined;
  return (
    <div className="flex flex-col gap-2" data-testid="program-remedy">
      <p className="text-12 text-pretty text-ink-2">
        {t(`settings.programs.remedy.${fitness}`, {
          host,
          file,
          version: program.version ?? '?',
          needs: program.needs ?? '?',
        })}
      </p>
      {shows && <CodeToCopy code={code} label={t('settings.programs.command')} testId="program-command" />}
    </div>
  );
}

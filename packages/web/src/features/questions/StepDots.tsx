import clsx from 'clsx';
import { useTranslation } from 'react-i18next';

interface StepDotsProps {
  readonly headers: readonly string[];
  readonly step: number;
  readonly isDone: (index: number) => boolean;
  readonly onStep: (step: number) => void;
}

/** The current question among several; a dot goes to its question. */
export function StepDots({ headers, step, isDone, onStep }: StepDotsProps) {
  const { t } = useTranslation();
  return (
    <>
      <span className="flex items-center">
        {headers.map((header, index) => (
          <button
            key={index}
            type="button"
            aria-label={t('questions.toStep', { number: index + 1, header })}
            aria-current={index === step ? 'step' : undefined}
            onClick={() => onStep(index)}
            className="flex h-6 items-center px-[3px] pointer-coarse:px-2"
          >
            <span
              className={clsx(
                'h-1.5 rounded-full border border-ask',
                index === step ? 'w-4' : 'w-1.5',
                (index === step || isDone(index)) && 'bg-ask',
              )}
            />
          </button>
        ))}
      </span>
      <span>{t('questions.stepOf', { number: step + 1, total: headers.length })}</span>
    </>
  );
}

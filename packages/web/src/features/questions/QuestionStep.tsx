import type { QuestionItem } from '@aizuchi/shared/contract/question';
import clsx from 'clsx';
import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { isComposing } from '../../lib/is-composing.ts';
import { choiceOf, choose, type Draft, writeOther } from './draft.ts';

interface QuestionStepProps {
  readonly item: QuestionItem;
  /** The index of the question in the card, from 0. */
  readonly index: number;
  readonly draft: Draft;
  readonly isDisabled: boolean;
  /** Its text is already shown above the card. */
  readonly isTitled: boolean;
  readonly onChange: (draft: Draft) => void;
  /** Called when Enter is pressed in the free text. */
  readonly onEnter: () => void;
}

/** One question with its options, numbered from 1, "Other…" last. */
export function QuestionStep(props: QuestionStepProps) {
  const { item, index, draft, isDisabled, isTitled, onChange } = props;
  const { t } = useTranslation();
  const { selected, isOther } = choiceOf(draft, index);
  const otherNumber = item.options.length + 1;
  const shared = {
    testIdPrefix: `question-option-${index}`,
    type: item.multiSelect ? ('checkbox' as const) : ('radio' as const),
    name: useId(),
    isDisabled,
    onChoose: (number: number) => onChange(choose(draft, index, item, number)),
  };
  return (
    <fieldset data-step={index} className="relative w-full flex-none snap-start px-2">
      <legend className={isTitled ? 'sr-only' : 'px-1 py-2 text-14 font-semibold text-pretty wrap-anywhere'}>
        {item.question}
      </legend>
      <div
        className={clsx('overflow-hidden rounded-md border border-ask-line bg-surface', isTitled && 'mt-2')}
      >
        {item.options.map(({ label, description }, position) => (
          <Option key={position} {...shared} number={position + 1} isChosen={selected.includes(position)}>
            <span className="min-w-0 font-medium wrap-anywhere">{label}</span>
            {description !== '' && (
              <span className="col-start-2 my-px text-12 text-pretty text-ink-2 wrap-anywhere">
                {description}
              </span>
            )}
          </Option>
        ))}
        <Option {...shared} number={otherNumber} isChosen={isOther} label={t('questions.other')}>
          <OtherText {...props} />
        </Option>
      </div>
    </fieldset>
  );
}

interface OptionProps {
  readonly testIdPrefix: string;
  readonly type: 'checkbox' | 'radio';
  readonly name: string;
  readonly number: number;
  readonly isChosen: boolean;
  readonly isDisabled: boolean;
  readonly onChoose: (number: number) => void;
  /** The accessible name, where the content is no text. */
  readonly label?: string;
  readonly children: ReactNode;
}

function Option(props: OptionProps) {
  const { testIdPrefix, type, name, number, isChosen, isDisabled, onChoose, label, children } = props;
  return (
    <label
      data-testid={`${testIdPrefix}-${number}`}
      data-chosen={isChosen}
      className={clsx(
        'relative grid grid-cols-[20px_1fr] gap-x-2 px-2 py-[7px] text-13 not-first:border-t not-first:border-line has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent pointer-coarse:py-2.5',
        isChosen && 'bg-ask-soft',
        isDisabled ? 'text-ink-2' : 'cursor-pointer hover:bg-ask-soft',
      )}
    >
      <input
        type={type}
        name={name}
        checked={isChosen}
        disabled={isDisabled}
        onChange={() => onChoose(number)}
        aria-label={label}
        className="absolute size-5 cursor-[inherit] opacity-0"
      />
      <span
        aria-hidden="true"
        className={clsx(
          'num grid size-5 place-items-center rounded-sm border text-11',
          isChosen ? 'border-ask bg-ask text-on-ask' : 'border-line-strong bg-surface text-ink-2',
        )}
      >
        {number}
      </span>
      {children}
    </label>
  );
}

/** The free text of "Other…"; a click into it, or writing, chooses it. */
function OtherText({ item, index, draft, isDisabled, onChange, onEnter }: QuestionStepProps) {
  const { t } = useTranslation();
  const { isOther, otherText } = choiceOf(draft, index);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    onEnter();
  };
  return (
    <textarea
      rows={1}
      data-testid={`question-other-${index}`}
      aria-label={t('questions.otherText', { question: item.question })}
      placeholder={t('questions.other')}
      value={otherText}
      disabled={isDisabled}
      onClick={() => !isOther && onChange(choose(draft, index, item, item.options.length + 1))}
      onChange={({ target }) => onChange(writeOther(draft, index, item, target.value))}
      onKeyDown={onKeyDown}
      className={clsx(
        'field-sizing-content block max-h-40 w-full min-w-0 resize-none rounded-sm bg-transparent outline-none pointer-coarse:text-16',
        isOther && '-my-1 border border-ask-line bg-surface px-2 py-[3px]',
      )}
    />
  );
}

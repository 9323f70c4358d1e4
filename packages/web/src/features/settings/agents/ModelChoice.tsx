import type { ModelOffer } from '@aizuchi/shared/contract/models';
import { useId } from 'react';
import { matchingModels } from './matching-models.ts';

interface ModelChoiceProps {
  readonly labelledBy: string;
  readonly models: readonly ModelOffer[];
  /** The text of the field: it chooses, and narrows the list. */
  readonly model: string;
  /** What an empty field means; absent: it may not be empty. */
  readonly emptyLabel?: string;
  readonly onChoose: (model: string) => void;
}

/** A list that fills in the field of the model. */
export function ModelChoice({ labelledBy, models, model, emptyLabel, onChoose }: ModelChoiceProps) {
  const name = useId();
  const chosen = model.trim();
  return (
    <div
      role="radiogroup"
      aria-labelledby={labelledBy}
      data-testid="agent-models"
      className="max-h-52 overflow-y-auto rounded-md border border-line py-1"
    >
      {emptyLabel !== undefined && (
        <ModelLine group={name} value="" isChosen={chosen === ''} onChoose={onChoose}>
          <span className="text-13">{emptyLabel}</span>
        </ModelLine>
      )}
      {matchingModels(models, model).map(({ id, name: title, about }) => (
        <ModelLine key={id} group={name} value={id} isChosen={id === chosen} onChoose={onChoose}>
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-3">
            <span className="font-mono text-12 wrap-anywhere">{id}</span>
            {title !== undefined && <span className="text-12 text-ink-2 wrap-anywhere">{title}</span>}
            {about !== undefined && <span className="text-12 text-ink-3 wrap-anywhere">{about}</span>}
          </span>
        </ModelLine>
      ))}
    </div>
  );
}

interface ModelLineProps {
  readonly group: string;
  readonly value: string;
  readonly isChosen: boolean;
  readonly onChoose: (model: string) => void;
  readonly children: React.ReactNode;
}

function ModelLine({ group, value, isChosen, onChoose, children }: ModelLineProps) {
  return (
    <label className="flex min-h-8 cursor-pointer items-center gap-3 px-3 py-1 hover:bg-hover has-checked:bg-accent-soft pointer-coarse:min-h-10">
      <input
        type="radio"
        name={group}
        value={value}
        checked={isChosen}
        onChange={() => onChoose(value)}
        className="size-4 flex-none accent-accent"
      />
      {children}
    </label>
  );
}

import { fitStep, type Step as StepArgument } from '@aizuchi/shared/contract/step';
import { storableText } from '@aizuchi/shared/core/rules/storable-text';
import type { Step } from '../turn-events.ts';

const ID_LENGTH = 128;

/** A step of a driver in the form that the server takes: within its limits, and with texts that can be stored. */
export function toReportedStep({ id, kind, title, status, detail, diff }: Step): StepArgument {
  return fitStep({
    id: storableText(id).slice(0, ID_LENGTH) || kind,
    kind,
    title: storableText(title) || kind,
    status,
    ...(detail !== undefined && { detail: storableText(detail) }),
    ...(diff && {
      diff: {
        path: storableText(diff.path) || 'unnamed',
        before: storableText(diff.before),
        after: storableText(diff.after),
      },
    }),
  });
}

/** A later report of a step: what it leaves out stays. */
export function updated(step: StepArgument, by: StepArgument): StepArgument {
  const { cut: _cut, ...before } = step;
  const stays = (step.cut ?? []).filter((part) => part !== 'title' && by[part] === undefined);
  const cut = [...stays, ...(by.cut ?? [])];
  return { ...before, ...by, ...(cut.length > 0 && { cut }) };
}

/** What has changed since a report that the server has; what is left out stays there. */
export function changesSince(step: StepArgument, sent: StepArgument | undefined): StepArgument {
  if (!sent) return step;
  const { detail, diff, cut, ...rest } = step;
  const hasDetail = detail !== undefined && detail !== sent.detail;
  const hasDiff = diff !== undefined && JSON.stringify(diff) !== JSON.stringify(sent.diff);
  const wanted = cut?.filter(
    (part) => part === 'title' || (part === 'detail' && hasDetail) || (part === 'diff' && hasDiff),
  );
  return {
    ...rest,
    ...(hasDetail && { detail }),
    ...(hasDiff && { diff }),
    ...(wanted && wanted.length > 0 && { cut: wanted }),
  };
}

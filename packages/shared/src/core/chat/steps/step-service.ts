import { fitStep, type Step, type StepList } from '../../../contract/step.ts';
import type { StepRefusal } from '../../../contract/tools/session.ts';
import { keys } from '../../../platform/change-log/keys.ts';
import { AppError } from '../../../platform/errors.ts';
import type { AgentCaller } from '../../access/agent-caller.ts';
import type { Person } from '../../access/person.ts';
import type { ServiceDeps } from '../../deps.ts';
import { toControlView } from '../../sessions/control-queries.ts';
import { BETWEEN_BEATS_MS, decideControl } from '../../sessions/rules/turn-control.ts';
import { requireChatTarget } from '../chat-target.ts';
import { isMessageId, sessionOver } from '../delivery/agent-input.ts';
import { messageIdTaken } from '../delivery/respond-chat.ts';
import { byteQuota, noteQuotaReached } from '../quota/byte-quota.ts';
import {
  type AnswerName,
  firstSteps,
  type NamedStep,
  type ReportRow,
  reportStep,
  type StepName,
  stepsOfAnswer,
} from './step-queries.ts';

export type { NamedStep, StepName };

export interface StepReport {
  readonly messageId: string;
  readonly step: Step;
  readonly batchId?: string | undefined;
}

/** The control is that of the turn, as in a heartbeat. */
export interface StepReported {
  readonly control: 'interrupt' | 'stop' | null;
  readonly reason?: StepRefusal;
  /** What of the step was too long. */
  readonly cut?: Step['cut'];
}

type StepDeps = Pick<ServiceDeps, 'database' | 'clock' | 'settings' | 'logger'>;

/** What agents do on the way to an answer. */
export class StepService {
  readonly #deps: StepDeps;

  constructor(deps: StepDeps) {
    this.#deps = deps;
  }

  /**
   * Stores a step of the answer that the session is writing; the same id again updates it. Repeating it is safe.
   * Counts as a heartbeat. `reason`: it was not stored, which is no fault.
   * @throws AppError invalid_input: the id is none of an answer, or another answer has it.
   */
  async report(caller: AgentCaller, { messageId, step, batchId }: StepReport): Promise<StepReported> {
    if (!isMessageId(messageId))
      throw new AppError('invalid_input', 'message_id is msg_ and 20 characters of a–z and 0–9.');
    const { database, clock } = this.#deps;
    const fitting = fitStep(step);
    const busyUntil = new Date(clock.now().getTime() + BETWEEN_BEATS_MS);
    const quota = await byteQuota(this.#deps);
    const reported = { messageId, step: fitting, batchId, busyUntil, quota };
    const row = await reportStep(database, caller, reported);
    if (!row) throw sessionOver();
    if (row.isTaken) throw messageIdTaken();
    const control = decideControl(toControlView(row))?.control ?? null;
    if (!row.isRecorded) {
      const reason = refusalOf(row);
      if (reason === 'quota_reached') noteQuotaReached(this.#deps, caller, quota);
      return { control, reason };
    }
    database.onCommit(new Set([keys.log(caller.projectId)]));
    return { control, ...(fitting.cut && { cut: fitting.cut }) };
  }

  /** The steps of an answer, stored or growing; see stepsOfAnswer. @throws AppError message_not_found. */
  async list(person: Person, answer: AnswerName): Promise<StepList> {
    const { db } = this.#deps.database;
    await requireChatTarget(db, person, answer, 'reads');
    const steps = await stepsOfAnswer(db, answer);
    if (!steps) throw new AppError('message_not_found', 'There is no such message in this chat.');
    return { steps };
  }

  /** For streams: the first of these steps that fit into one answer; see firstSteps. */
  async firstByNames(
    names: readonly StepName[],
  ): Promise<{ readonly steps: readonly NamedStep[]; readonly asked: number }> {
    return firstSteps(this.#deps.database.db, names);
  }
}

function refusalOf(row: ReportRow): StepRefusal {
  if (row.isDiscarded) return 'answer_discarded';
  if (!row.isHeld) return 'nothing_to_answer';
  return row.hasRoom ? 'too_many_steps' : 'quota_reached';
}

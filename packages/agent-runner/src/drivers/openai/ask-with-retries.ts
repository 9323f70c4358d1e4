import { setTimeout as delay } from 'node:timers/promises';
import type { TurnEvent } from '../../turn-events.ts';
import { cutText } from './history/cut-text.ts';
import { askModel, emptyReply, type Reply } from './model/ask-model.ts';
import { type Fault, isPassing, ModelFault } from './model/faults.ts';
import { type Limits, promptOf, type TurnWork } from './turn-work.ts';

/**
 * One reply of the model. It is asked again, twice at most and after a pause, when the server could not take the request;
 * once with half of the history, when that was too long; once without tools or its own thoughts, when it takes none. Never
 * when something of the reply had come, because then the person has read it. What came of a reply that broke is in the
 * record, and counted. `isLast`: it has to answer, without another tool.
 */
export async function* askWithRetries(work: TurnWork, isLast: boolean): AsyncGenerator<TurnEvent, Reply> {
  const { context, turn, answer } = work;
  const { endpoint, history, limits } = context;
  let failures = 0;
  let isHalved = false;
  for (;;) {
    const reply = emptyReply();
    const { tokens, ...prompt } = promptOf(work, isLast ? lastNote(answer.toolUses) : undefined);
    try {
      const { model, redact } = endpoint;
      const { silence, replyLength: longest } = limits;
      const request = {
        ...prompt,
        model,
        withoutTools: isLast,
        signal: turn.signal,
        silence,
        longest,
        redact,
      };
      yield* answer.take(askModel(request, reply));
      yield* answer.count(reply, reply.finish ? undefined : tokens);
      return reply;
    } catch (error) {
      const isOver = turn.signal.aborted || reply.hasBegun;
      const fault = error instanceof ModelFault && !isOver ? error.fault : undefined;
      if (fault?.kind === 'tooLong' && !isHalved && history.halveBudget(tokens)) {
        isHalved = true;
      } else if (fault?.kind === 'noTools' && context.hasTools) {
        context.hasTools = false;
        context.session.log(`the model ${endpoint.modelName} knows no tools: it is asked without them`);
      } else if (fault && hasPictures(work) && isAboutPictures(error, fault)) {
        context.seesPictures = false;
        context.session.log(`the model ${endpoint.modelName} takes no pictures: it is asked without them`);
      } else if (fault?.kind === 'noReasoning' && context.hasReasoning) {
        context.hasReasoning = false;
      } else {
        const waitMs = fault && waitBefore(fault, failures, limits);
        if (waitMs === undefined) {
          keepPart(work, reply);
          yield* answer.count(reply, tokens);
          throw error;
        }
        failures += 1;
        context.session.log(endpoint.redact(`asked again in ${waitMs} ms: ${String(error)}`));
        yield* pause(work, waitMs);
      }
    }
  }
}

function hasPictures({ context, pictures = [] }: TurnWork): boolean {
  return context.seesPictures && pictures.length > 0;
}

/** Servers without eyes answer 400, or 500 with a word about it. */
function isAboutPictures(error: unknown, { kind }: Fault): boolean {
  return kind === 'refused' || /image|vision|multimodal|picture/i.test(String(error));
}

function lastNote(uses: number): string {
  return `[You have used tools ${uses} times. Answer now with what you know, without another tool.]`;
}

/** Undefined: no other try. */
function waitBefore(fault: Fault, failures: number, limits: Limits): number | undefined {
  const pauseMs = limits.retryMs[failures];
  if (pauseMs === undefined || !isPassing(fault)) return undefined;
  const asked = fault.kind === 'rate' ? (fault.waitMs ?? pauseMs) : pauseMs;
  return asked <= limits.longestWaitMs ? asked : undefined;
}

async function* pause({ answer, turn }: TurnWork, ms: number): AsyncGenerator<TurnEvent> {
  const step = {
    id: answer.nextStepId(),
    kind: 'other',
    title: answer.texts.waiting(Math.ceil(ms / 1000)),
  } as const;
  yield { type: 'step', step: { ...step, status: 'running' } };
  await delay(ms, undefined, { signal: turn.signal });
  yield { type: 'step', step: { ...step, status: 'done' } };
}

const PART_LENGTH = 50_000;

/** The person has read it: it is part of the history. Calls of a reply that broke were not carried out. */
function keepPart({ record }: TurnWork, { text }: Reply): void {
  const part = cutText(text.trim(), PART_LENGTH);
  if (part !== '') record.entries.push({ role: 'assistant', text: part });
}

import type { Step } from '@aizuchi/shared/contract/step';
import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import type { ToolClient } from '@aizuchi/shared/mcp-client/tool-client';
import { newId } from '@aizuchi/shared/platform/ids';
import { answerKey, controlFolder, HELD } from '../../../fixtures/agent-life.ts';
import { untilFile } from '../../../fixtures/control-file.ts';

/** What an agent asks to be allowed. */
export interface ScriptedRequest {
  readonly tool: string;
  readonly kind: 'edit' | 'command' | 'other';
  readonly summary: string;
  readonly session_scope?: string;
  readonly input: unknown;
}

/** One act of a scripted turn. */
export type TurnAct =
  | { readonly step: Step }
  | { readonly text: string }
  /** Waits until the file exists in the control folder. */
  | { readonly until: string }
  /** Asks for all of them at once, and waits for every decision. */
  | { readonly request: readonly ScriptedRequest[] }
  /** There is no answer. */
  | { readonly failure: string }
  /** Without content: the streamed text, then what was decided. */
  | {
      readonly answer: string;
      readonly model?: string;
      readonly usage?: {
        readonly input_tokens: number;
        readonly output_tokens: number;
        readonly cost_usd?: number;
        readonly duration_ms: number;
      };
    };

/** Plays the acts of a turn in their order. The answer ends with what was decided, one line for each request. */
export async function playTurn(
  client: ToolClient,
  acts: readonly TurnAct[],
  messages: PendingMessages['pending_messages'],
): Promise<void> {
  const messageId = newId('msg');
  let offset = 0;
  const decided: string[] = [];
  for (const act of acts) {
    if ('step' in act) await client.call('report_step', { message_id: messageId, step: act.step });
    else if ('text' in act) {
      await client.call('report_delta', { message_id: messageId, text: act.text, offset });
      offset += act.text.length;
    } else if ('until' in act) await untilFile(controlFolder, act.until, true);
    else if ('failure' in act)
      await client.callUntilAnswered('respond_chat', {
        failure: act.failure,
        idempotency_key: messageId,
        message_id: messageId,
      });
    else if ('request' in act)
      decided.push(...(await Promise.all(act.request.map((one) => request(client, one)))));
    else
      await client.callUntilAnswered('respond_chat', {
        content: [act.answer, ...decided].join('\n\n'),
        idempotency_key: answerKey(messages),
        message_id: messageId,
        ...(act.model !== undefined && { model: act.model }),
        ...(act.usage && { usage: act.usage }),
      });
  }
}

/** Calls again until somebody has decided. */
async function request(client: ToolClient, asked: ScriptedRequest): Promise<string> {
  for (;;) {
    const heard = await client.callUntilAnswered('request_approval', { ...asked, hold_seconds: 25 }, HELD);
    if (heard.status !== 'pending') return `${asked.summary}: ${heard.status} ${heard.note ?? ''}`.trim();
  }
}

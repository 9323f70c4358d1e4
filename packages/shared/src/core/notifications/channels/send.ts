import type { OutboundResult, OutboundRules } from '../../../platform/http/outbound.ts';
import type { ChannelFailure, ChannelRecord } from '../channel-queries.ts';
import type { NotificationMessage } from '../message.ts';
import type { NotificationKeys } from '../notification-keys.ts';

export interface SendContext {
  readonly keys: NotificationKeys;
  readonly rules: OutboundRules;
  /** Where people reach the page from outside, without a slash at its end; absent: no links are sent. */
  readonly publicUrl: string | undefined;
  readonly now: Date;
}

export type SendResult =
  | { readonly sent: true }
  | {
      readonly sent: false;
      readonly failure: ChannelFailure;
      /** Another attempt would fail as well. */
      readonly isFinal: boolean;
      /** The address will never work again. */
      readonly isGone: boolean;
      readonly retryAfterMs?: number;
    };

export type Send = (
  channel: ChannelRecord,
  message: NotificationMessage,
  context: SendContext,
) => Promise<SendResult>;

/** The full address of a place in the page; undefined when nobody outside could open it. */
export function linkTo(path: string, { publicUrl }: SendContext): string | undefined {
  return publicUrl === undefined ? undefined : `${publicUrl}${path}`;
}

/** The token stands behind the #: it is in no log of a server and is not sent on. */
export function answerLink(
  channel: ChannelRecord,
  { question }: NotificationMessage,
  context: SendContext,
): string | undefined {
  if (!question) return undefined;
  return linkTo(`/answer#${context.keys.linkToken(question.toolUseId, channel.id)}`, context);
}

export function failed(failure: ChannelFailure): SendResult {
  return { sent: false, failure, isFinal: true, isGone: false };
}

export function resultOf(result: OutboundResult): SendResult {
  if ('problem' in result)
    return {
      sent: false,
      failure: result.problem,
      isFinal: result.problem === 'address_not_allowed',
      isGone: false,
    };
  const { status, retryAfterMs } = result;
  if (status >= 200 && status < 300) return { sent: true };
  const isTemporary = status === 408 || status === 429 || status >= 500;
  return {
    sent: false,
    failure: status === 404 || status === 410 ? 'gone' : isTemporary ? 'server_error' : 'refused',
    isFinal: !isTemporary,
    isGone: status === 410,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

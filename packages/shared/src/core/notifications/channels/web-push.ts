import { createHash } from 'node:crypto';
import { postOutbound } from '../../../platform/http/outbound.ts';
import type { NotificationMessage } from '../message.ts';
import { failed, resultOf, type Send, type SendContext, type SendResult } from './send.ts';

/** A message that a phone could not be given for so long is of no use any more. */
const TTL_SECONDS = 12 * 3_600;
/** What a push service knows the sender by, where nobody has set AIZUCHI_PUBLIC_URL. */
const NO_SUBJECT = 'mailto:nobody@example.org';
/** Services take 4,096 bytes, of which encryption needs about 100. */
const MAX_TEXT = 300;
const MAX_LABEL = 60;

/** Encrypted for the browser, so that its push service reads nothing (RFC 8030, 8188, 8291, 8292). */
export const sendWebPush: Send = async (channel, message, context) => {
  const { p256dh, auth } = channel.access;
  if (p256dh === undefined || auth === undefined) return failed('refused');
  // Loaded by the first message: most processes never send one.
  const { default: webPush } = await import('web-push');
  const request = resultIfAny(() =>
    webPush.generateRequestDetails(
      { endpoint: channel.address, keys: { p256dh, auth } },
      payloadOf(message),
      {
        vapidDetails: { subject: subjectOf(context), ...context.keys.vapid },
        TTL: TTL_SECONDS,
        urgency: message.category === 'question' || message.category === 'approval' ? 'high' : 'normal',
        topic: createHash('sha256').update(message.id).digest('base64url').slice(0, 32),
        contentEncoding: 'aes128gcm',
      },
    ),
  );
  // A key that is no point on the curve.
  if (!request) return failed('refused');
  const result = await postOutbound(
    { url: request.endpoint, headers: textHeaders(request.headers), body: request.body ?? '' },
    context.rules,
  );
  return goneForEver(resultOf(result));
};

/** What the service worker shows (packages/web/src/service-worker). */
function payloadOf({ id, title, body, path, locale, badge, question }: NotificationMessage): string {
  const cut = (text: string, max = MAX_TEXT) => [...text].slice(0, max).join('');
  return JSON.stringify({
    tag: question?.toolUseId ?? id,
    title: cut(title),
    body: cut(body),
    path,
    locale,
    badge,
    ...(question && {
      question: { ...question, options: question.options.map((label) => cut(label, MAX_LABEL)) },
    }),
  });
}

function subjectOf({ publicUrl }: SendContext): string {
  return publicUrl?.startsWith('https:') ? publicUrl : NO_SUBJECT;
}

function resultIfAny<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

function textHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length');
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

/** 404 and 410: the browser has given the subscription up. */
function goneForEver(result: SendResult): SendResult {
  return !result.sent && result.failure === 'gone' ? { ...result, isGone: true } : result;
}

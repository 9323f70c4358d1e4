import { postOutbound } from '../../../platform/http/outbound.ts';
import { notificationTexts } from '../../../platform/texts/notification-texts.ts';
import { answerLink, failed, linkTo, resultOf, type Send } from './send.ts';

/** A button for each option up to as many as ntfy shows; more options lead to the page with all of them. */
const MAX_ACTIONS = 3;
const URGENT = 4;
const NORMAL = 3;

/**
 * Published as JSON to the root of the server. A button opens the page of the answer link, where the person confirms: what
 * only looks at addresses answers nothing. `sequence_id` lets a second attempt replace the first (ntfy 2.16).
 */
export const sendNtfy: Send = async (channel, message, context) => {
  const { access, address } = channel;
  const token = access.token === undefined ? undefined : context.keys.open(access.token);
  if (access.token !== undefined && token === undefined) return failed('refused');
  const cut = address.lastIndexOf('/');
  const { id, title, body, category, question, locale } = message;
  const click = linkTo(message.path, context);
  const answer = answerLink(channel, message, context);
  const text = JSON.stringify({
    topic: address.slice(cut + 1),
    title,
    message: body || title,
    priority: category === 'question' || category === 'approval' ? URGENT : NORMAL,
    sequence_id: id,
    ...(click !== undefined && { click }),
    ...(question && answer !== undefined && { actions: actionsOf(question.options, answer, locale) }),
  });
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Aizuchi',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  return resultOf(await postOutbound({ url: address.slice(0, cut + 1), headers, body: text }, context.rules));
};

function actionsOf(options: readonly string[], answer: string, locale: 'ja' | 'en') {
  if (options.length > MAX_ACTIONS)
    return [{ action: 'view', label: notificationTexts(locale).answer, url: answer }];
  return options.map((label, index) => ({ action: 'view', label, url: `${answer}.${index}` }));
}

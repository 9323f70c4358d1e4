import { createHmac } from 'node:crypto';
import { postOutbound } from '../../../platform/http/outbound.ts';
import { answerLink, linkTo, resultOf, type Send } from './send.ts';

/**
 * A signed call. The signature holds the time, so that a receiver refuses a call that was recorded and is sent again;
 * `id` is the same in every attempt.
 */
export const sendWebhook: Send = async (channel, message, context) => {
  const { id, category, title, body, project, agent, question, locale } = message;
  const url = linkTo(message.path, context);
  const answerUrl = answerLink(channel, message, context);
  const text = JSON.stringify({
    id,
    category,
    title,
    body,
    locale,
    ...(project && { project }),
    ...(agent && { agent }),
    ...(url !== undefined && { url }),
    ...(question && { question: { ...question, ...(answerUrl !== undefined && { answerUrl }) } }),
  });
  const seconds = Math.floor(context.now.getTime() / 1_000);
  const signature = createHmac('sha256', context.keys.webhookSecret(channel.id)).update(`${seconds}.${text}`);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Aizuchi',
    'aizuchi-delivery': id,
    'aizuchi-signature': `t=${seconds},v1=${signature.digest('hex')}`,
  };
  return resultOf(await postOutbound({ url: channel.address, headers, body: text }, context.rules));
};

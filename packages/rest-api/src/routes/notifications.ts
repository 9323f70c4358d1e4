import type { RestContext } from '../context.ts';
import { credentialsOf } from '../plugins/credentials.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names =
  | 'getNotifications'
  | 'updateNotificationSettings'
  | 'createNotificationChannel'
  | 'updateNotificationChannel'
  | 'deleteNotificationChannel'
  | 'testNotificationChannel'
  | 'noteAttention'
  | 'lookAtAnswerLink'
  | 'giveLinkedAnswer';

export function notificationRoutes({ notifications, answerLinks }: RestContext): HandlersOf<Names> {
  return {
    getNotifications: ({ person }) => notifications.get(person),
    updateNotificationSettings: ({ person, body }) => notifications.updateSettings(person, body),
    createNotificationChannel: ({ person, body, request }) =>
      notifications.createChannel(person, body, credentialsOf(request)?.token),
    updateNotificationChannel: ({ person, params, body }) =>
      notifications.updateChannel(person, params.channelId, body),
    deleteNotificationChannel: async ({ person, params }) => {
      await notifications.deleteChannel(person, params.channelId);
      return undefined;
    },
    testNotificationChannel: ({ person, params }) => notifications.test(person, params.channelId),
    noteAttention: async ({ person, body }) => {
      await notifications.noteAttention(person, body);
      return undefined;
    },
    lookAtAnswerLink: ({ body }) => answerLinks.look(body.token),
    giveLinkedAnswer: async ({ body }) => {
      await answerLinks.answer(body.token, body.option);
      return undefined;
    },
  };
}

import type { RestContext } from '../context.ts';
import { credentialsOf } from '../plugins/credentials.ts';
import type { HandlersOf } from '../plugins/route-table.ts';
import { agentEventStream } from '../streams/turn-stream.ts';

export function visionRoutes({
  auth,
  vision,
  agentEvents,
}: RestContext): HandlersOf<'followAgentEvents' | 'requestCapture' | 'answerCapture'> {
  return {
    followAgentEvents: async ({ person, query, reply }) => {
      const { token, csrf } = credentialsOf(reply.request) ?? { token: '' };
      const reader = { person, identify: () => auth.identify(token, csrf) };
      return agentEventStream(
        await agentEvents.follow(reader, query, (leave) => {
          // It may have left while its rights were read.
          if (reply.raw.destroyed) leave();
          else reply.raw.once('close', leave);
        }),
      );
    },
    requestCapture: ({ person, body }) => vision.request(person, body),
    answerCapture: ({ person, body }) => vision.respond(person, body),
  };
}

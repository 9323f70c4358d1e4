import { z } from 'zod';

export const chatImportResultSchema = z.object({
  agents: z.array(
    z.object({
      agentId: z.string(),
      imported: z.int(),
      /** Lines that the chat held already. */
      known: z.int(),
      /** Lines of conversations between agents: the folder does not hold the conversations themselves. */
      ofConversations: z.int(),
    }),
  ),
  /** Folders of agents who are not AI agents of this project: nothing of them was read. */
  unknown: z.array(z.string()),
});
export type ChatImportResult = z.infer<typeof chatImportResultSchema>;

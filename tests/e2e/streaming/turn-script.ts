import { z } from 'zod';

/** What the scripted driver does in a turn, step by step. */
export const turnScript = z.array(
  z.discriminatedUnion('do', [
    z.object({ do: z.literal('text'), text: z.string() }),
    /** Waits until a file of this name exists in the control folder, or the turn is interrupted. */
    z.object({ do: z.literal('wait'), file: z.string() }),
    /** The text is `<status>: <answer>`. */
    z.object({ do: z.literal('ask'), question: z.string(), options: z.array(z.string()) }),
  ]),
);
export type ScriptStep = z.infer<typeof turnScript>[number];

import { textPiece } from '@aizuchi/shared/core/attachments/rules/text-piece';
import { z } from 'zod';

const textFileSchema = z.looseObject({
  attachment: z.unknown(),
  kind: z.literal('text'),
  text: z.string(),
  next_offset: z.number().optional(),
});
const offsetSchema = z.looseObject({ offset: z.number().catch(0) });

/** For the names of the fields, the description of the file and its name. */
const AROUND = 2_000;

/**
 * A text file as get_attachment returns it, cut to a piece whose JSON fits into `length` characters, and where it goes on.
 * `next_offset` comes before the text: models read the end of a long result less. Any other result stays as it is.
 */
export function pieceThatFits(output: unknown, input: Record<string, unknown>, length: number): unknown {
  const parsed = textFileSchema.safeParse(output);
  if (!parsed.success || JSON.stringify(parsed.data.text).length <= length - AROUND) return output;
  const { text, ...rest } = parsed.data;
  const piece = longestPiece(text, length - AROUND);
  return { ...rest, next_offset: offsetSchema.parse(input).offset + piece.length, text: piece };
}

function longestPiece(text: string, room: number): string {
  let piece = text;
  // Line feeds and control characters take more room in JSON than in the text.
  for (let most = room; JSON.stringify(piece).length > room; most = Math.floor(most * 0.8))
    piece = textPiece(text, 0, most).text;
  return piece;
}

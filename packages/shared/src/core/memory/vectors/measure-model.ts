import { ModelError } from '../../../platform/models/model-ports.ts';
import { paraphrasesFound, vectorWeight } from '../rules/embedding-weight.ts';
import { type Embed, embedTexts } from './embed-batch.ts';
import { PARAPHRASES } from './paraphrases.ts';

/** How many numbers the vectors of a model have, and how much they count in a search. */
export async function measureModel(embed: Embed): Promise<{ weight: number; dimensions: number }> {
  const vectors = await embedTexts(embed, PARAPHRASES.flat(), null);
  const pairs = PARAPHRASES.map((_, index) => {
    const [text, paraphrase, distractor] = vectors.slice(3 * index);
    if (!text || !paraphrase || !distractor)
      throw new ModelError('refused', 'the model refuses a text of the measure');
    return { text, paraphrase, distractor };
  });
  return { weight: vectorWeight(paraphrasesFound(pairs)), dimensions: pairs[0]?.text.length ?? 0 };
}

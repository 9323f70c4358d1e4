import type { ModelOffer } from '@aizuchi/shared/contract/models';

/**
 * The models to choose from while `typed` stands in the field: those whose id or name contains it; all of them when it
 * is one of them, because then it is a choice and no search.
 */
export function matchingModels(models: readonly ModelOffer[], typed: string): readonly ModelOffer[] {
  const search = typed.trim().toLowerCase();
  if (search === '' || models.some(({ id }) => id.toLowerCase() === search)) return models;
  const matching = models.filter(({ id, name = '' }) => `${id}\n${name}`.toLowerCase().includes(search));
  return matching.length > 0 ? matching : models;
}

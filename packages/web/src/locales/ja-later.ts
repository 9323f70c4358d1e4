import { agentPage } from './ja/agentPage.ts';
import { search } from './ja/search.ts';
import { settings } from './ja/settings.ts';

/** The texts of what few people open: a chunk of its own, which `withTexts` loads. */
export const laterJa = { agentPage, search, settings } as const;

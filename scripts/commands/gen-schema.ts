/** `npm run gen:schema`, after a new migration: generates packages/shared/src/platform/db/schema.ts. */
import { generateRowTypes } from './row-types.ts';

process.exit((await generateRowTypes({ verify: false })) ? 0 : 1);

/** `npm run gen:schema` after a new migration: writes packages/shared/src/platform/db/schema.ts anew. */
import { generateRowTypes } from './row-types.ts';

process.exit((await generateRowTypes({ verify: false })) ? 0 : 1);

import { z } from 'zod';
import { idParamSchema } from './ids.ts';
import { workingDirectorySchema } from './project.ts';

/** Without `path` the allowed places. `projectId`: the project that would use the folder; its own folder is no obstacle. */
export const listFoldersQuerySchema = z.strictObject({
  path: workingDirectorySchema.optional(),
  projectId: idParamSchema.optional(),
});
export type ListFoldersQuery = z.infer<typeof listFoldersQuerySchema>;

const folderPlaceSchema = z.object({ name: z.string(), path: z.string() });
export const folderEntrySchema = folderPlaceSchema.extend({
  /** Another one beside it has a name that people cannot tell from this one. */
  looksLikeAnother: z.boolean(),
});
export type FolderEntry = z.infer<typeof folderEntrySchema>;

export const folderListSchema = z.object({
  /** The real path of the folder whose folders these are; absent for the allowed places. */
  path: z.string().optional(),
  /** From its allowed place down to it. */
  trail: z.array(folderPlaceSchema),
  folders: z.array(folderEntrySchema),
  /** There are more than are listed. */
  isCut: z.boolean(),
  /** Folders whose names cannot be shown, or written as a path. */
  leftOut: z.number().int(),
  /** Why the folder itself cannot be a working directory: as the call that would set it is answered. */
  refusal: z
    .object({
      code: z.enum(['working_directory_not_allowed', 'working_directory_in_use']),
      reason: z.string().optional(),
    })
    .optional(),
});
export type FolderList = z.infer<typeof folderListSchema>;

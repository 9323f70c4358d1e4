/**
 * Why a transcript is not written, or was written anew: the first word of `chatLogFault`. The page has a text
 * for each code.
 */
export const CHAT_LOG_FAULT_CODES = [
  'folder_missing',
  'not_a_folder',
  'not_writable',
  'no_space',
  'symlink',
  'hard_link',
  'not_a_file',
  'not_ours',
  'owner_not_kept',
  'altered',
  'inconsistent',
  'io_error',
] as const;
export type ChatLogFaultCode = (typeof CHAT_LOG_FAULT_CODES)[number];

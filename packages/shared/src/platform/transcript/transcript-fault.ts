import type { ChatLogFaultCode } from '../../contract/chat-log-fault-codes.ts';
import { errorCode } from '../files/file-system.ts';
import { InconsistentOffsets } from './transcript-queries.ts';

/** The transcript cannot be written now; the chat continues, and the write is tried again. */
export class ChatLogFault extends Error {
  readonly code: ChatLogFaultCode;

  constructor(code: ChatLogFaultCode, cause?: unknown) {
    super(`chat log: ${code}`, cause === undefined ? undefined : { cause });
    this.name = 'ChatLogFault';
    this.code = code;
  }
}

/** The file contains bytes that do not belong to the transcript. */
export class AlteredTranscript extends Error {}

const FAULT_OF_ERRNO: Readonly<Record<string, ChatLogFaultCode>> = {
  ENOENT: 'folder_missing',
  ENOTDIR: 'not_a_folder',
  EACCES: 'not_writable',
  EPERM: 'not_writable',
  EROFS: 'not_writable',
  // Another process has taken the name under which we put files aside.
  EEXIST: 'not_writable',
  ENOTEMPTY: 'not_writable',
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  EFBIG: 'no_space',
  ELOOP: 'symlink',
  EISDIR: 'not_a_file',
  ENXIO: 'not_a_file',
  EIO: 'io_error',
  ESTALE: 'io_error',
  EBADF: 'io_error',
  EMFILE: 'io_error',
  ENFILE: 'io_error',
};

/** The fault behind an error of the file system; undefined: the file is not to blame (the database is away). */
export function faultCodeOf(error: unknown): ChatLogFaultCode | undefined {
  if (error instanceof ChatLogFault) return error.code;
  if (error instanceof AlteredTranscript) return 'altered';
  if (error instanceof InconsistentOffsets) return 'inconsistent';
  // A socket of the database can fail with the same codes.
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall === 'connect') return undefined;
  return FAULT_OF_ERRNO[errorCode(error) ?? ''];
}

import { constants, type Stats } from 'node:fs';
import { join } from 'node:path';
import { ChatLogFault } from './chat-log-fault.ts';
import type { FileSystem } from './file-system.ts';

/** Where the transcript of one agent in one project stands. */
export interface TranscriptPlace {
  readonly projectId: string;
  readonly agentId: string;
  readonly workingDirectory: string;
}

/** Below the working directory; what a fault names instead of a path of the server. */
export function transcriptName(agentId: string): string {
  return `.ai-pm/agents/${agentId}/chat.jsonl`;
}

export interface OpenTranscript {
  readonly fd: number;
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
}

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR, O_WRONLY } = constants;

/**
 * Opens the transcript, making what is missing of `.ai-pm/agents/<id>/chat.jsonl`. Nothing below the working
 * directory may be a link: whoever can write there (an agent can) must not lead us out of the project.
 * Throws ChatLogFault or the file system's error.
 */
export async function openTranscript(fs: FileSystem, place: TranscriptPlace): Promise<OpenTranscript> {
  const root = await fs.realpath(place.workingDirectory);
  const home = join(root, '.ai-pm');
  // People and git may look into `.ai-pm` (the .gitignore must be readable); transcripts are nobody else's.
  await ensureFolder(fs, home, 0o755);
  await ensureGitignore(fs, join(home, '.gitignore'));
  const agents = join(home, 'agents');
  await ensureFolder(fs, agents, 0o700);
  const folder = join(agents, place.agentId);
  await ensureFolder(fs, folder, 0o700);

  const path = join(folder, 'chat.jsonl');
  // Before opening: an open alone may already wake a device or a FIFO's reader.
  const standing = await fs.lstat(path);
  if (standing) assertOwnFile(standing);
  const fd = await fs.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const opened = await fs.fstat(fd);
    assertOwnFile(opened);
    // A folder that was swapped for a link between the checks and the open.
    if ((await fs.realpath(folder)) !== folder) throw new ChatLogFault('symlink');
    return { fd, path, dev: opened.dev, ino: opened.ino, size: opened.size };
  } catch (error) {
    await fs.close(fd);
    throw error;
  }
}

/** A file of one name only: a link leads elsewhere, a second name lets somebody else's file be written. */
export function assertOwnFile(stats: Stats): void {
  if (stats.isSymbolicLink()) throw new ChatLogFault('symlink');
  if (!stats.isFile()) throw new ChatLogFault('not_a_file');
  if (stats.nlink > 1) throw new ChatLogFault('hard_link');
}

async function ensureFolder(fs: FileSystem, path: string, mode: number): Promise<void> {
  let stats = await fs.lstat(path);
  if (!stats) {
    await fs.mkdir(path, mode);
    stats = await fs.lstat(path);
  }
  if (!stats) throw new ChatLogFault('folder_missing');
  if (stats.isSymbolicLink()) throw new ChatLogFault('symlink');
  if (!stats.isDirectory()) throw new ChatLogFault('not_a_folder');
}

/** An empty one is ours from a crash between making and filling; any other is left as it is. */
async function ensureGitignore(fs: FileSystem, path: string): Promise<void> {
  const stats = await fs.lstat(path);
  if (stats && !(stats.isFile() && stats.size === 0 && stats.nlink === 1)) return;
  const fd = await fs.open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  try {
    await fs.write(fd, Buffer.from('*\n'), 0);
  } finally {
    await fs.close(fd);
  }
}

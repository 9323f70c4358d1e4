/**
 * A process of its own that stores and notes messages when its parent says so, for transcript-processes.test.ts.
 * A write can be held at its pause point, or torn: half of it done, then held.
 */

import { openDatabase } from '../../src/platform/db/database.ts';
import { nodeFileSystem } from '../../src/platform/files/file-system.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { openTranscripts, type StoredLine } from '../../src/platform/transcript/transcript.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { type Room, storeMessage } from './transcript-support.ts';

export type Command =
  | { readonly do: 'store'; readonly room: Room; readonly content: string }
  | { readonly do: 'note'; readonly entry: StoredLine }
  | { readonly do: 'say many'; readonly room: Room; readonly count: number; readonly label: string }
  | { readonly do: 'hold next write'; readonly afterHalf: boolean }
  | { readonly do: 'let go' }
  | { readonly do: 'stop' };
export type Reply =
  | { readonly told: 'ready' | 'holding' | 'noted' | 'said' | 'ok' }
  | { readonly told: 'stored'; readonly entry: StoredLine };

let hold: { afterHalf: boolean } | undefined;
let letGo: () => void = () => undefined;

const applicationName = `writer ${process.pid}`;
const database = openDatabase({
  url: process.argv[2] ?? '',
  maxConnections: 4,
  applicationName,
  transactionTimeoutMs: LONG_TIMEOUT_MS,
});
const transcripts = openTranscripts({
  database,
  logger: createLogger('transcript-writer', { level: 'fatal' }),
  timeoutMs: LONG_TIMEOUT_MS,
  fileSystem: {
    ...nodeFileSystem,
    write: async (fd, bytes, position) => {
      if (!hold) return nodeFileSystem.write(fd, bytes, position);
      const half = hold.afterHalf ? Math.floor(bytes.length / 2) : 0;
      hold = undefined;
      if (half > 0) await nodeFileSystem.write(fd, bytes.subarray(0, half), position);
      const released = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      tell({ told: 'holding' });
      await released;
      return half + (await nodeFileSystem.write(fd, bytes.subarray(half), position + half));
    },
  },
});

function tell(reply: Reply): void {
  process.send?.(reply);
}

async function obey(command: Command): Promise<void> {
  switch (command.do) {
    case 'store':
      return tell({ told: 'stored', entry: await storeMessage(database, command.room, command.content) });
    case 'note':
      await transcripts.noteStored(command.entry);
      return tell({ told: 'noted' });
    case 'say many':
      await Promise.all(
        Array.from({ length: command.count }, async (_, index) =>
          transcripts.noteStored(await storeMessage(database, command.room, `${command.label} ${index}`)),
        ),
      );
      return tell({ told: 'said' });
    case 'hold next write':
      hold = { afterHalf: command.afterHalf };
      return tell({ told: 'ok' });
    case 'let go':
      letGo();
      return tell({ told: 'ok' });
    case 'stop':
      await transcripts.close();
      await database.close();
      process.disconnect();
  }
}

process.on('message', (command: Command) => void obey(command));
tell({ told: 'ready' });

import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import type { FileSystem } from '../../src/platform/files/file-system.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { openTranscripts, type Transcripts } from '../../src/platform/transcript/transcript.ts';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import {
  expectFaithful,
  makeRoom,
  type Room,
  removeFolders,
  shownFault,
  storeMessage,
} from './transcript-support.ts';

/** What the tests of chat.jsonl begin with: a database for the file, a fresh chat log and an empty room for each test. */
class TranscriptWorld {
  #testDatabase: TestDatabase | undefined;
  #database: Database | undefined;
  #transcripts: Transcripts | undefined;
  #room: Room | undefined;
  readonly #isTimeoutTested: boolean;

  constructor(isTimeoutTested: boolean) {
    this.#isTimeoutTested = isTimeoutTested;
  }

  get url(): string {
    return given(this.#testDatabase).url;
  }
  get database(): Database {
    return given(this.#database);
  }
  get transcripts(): Transcripts {
    return given(this.#transcripts);
  }
  get room(): Room {
    return given(this.#room);
  }

  async open(): Promise<void> {
    this.#testDatabase = await createTestDatabase();
    this.#database = openDatabase({ url: this.#testDatabase.url, transactionTimeoutMs: LONG_TIMEOUT_MS });
  }

  async close(): Promise<void> {
    await this.#database?.close();
    await this.#testDatabase?.drop();
    await removeFolders();
  }

  async enter(fileSystem?: FileSystem): Promise<void> {
    this.#open(fileSystem);
    this.#room = await makeRoom(this.database);
  }

  async leave(): Promise<void> {
    await this.#transcripts?.close();
  }

  /** As another process finds the files, or the same on another file system. */
  async reopen(fileSystem?: FileSystem): Promise<void> {
    await this.leave();
    this.#open(fileSystem);
  }

  async say(content: string, room = this.room): Promise<void> {
    await this.transcripts.noteStored(await storeMessage(this.database, room, content));
  }

  shownFault(): Promise<string | null> {
    return shownFault(this.database, this.room);
  }

  expectFaithful(room = this.room): Promise<void> {
    return expectFaithful(this.database, room);
  }

  #open(fileSystem: FileSystem | undefined): void {
    const logger = createLogger('test', { level: 'silent' });
    this.#transcripts = openTranscripts({
      database: this.database,
      logger,
      ...(fileSystem && { fileSystem }),
      ...(!this.#isTimeoutTested && { timeoutMs: LONG_TIMEOUT_MS }),
    });
  }
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The world of this test is not open.');
  return value;
}

/** One for a test file; with `slow`, asked for anew before each test, a message is waited for as long as in the product. */
export function useTranscripts(slow?: () => FileSystem): TranscriptWorld {
  const world = new TranscriptWorld(slow !== undefined);
  beforeAll(() => world.open());
  afterAll(() => world.close());
  beforeEach(() => world.enter(slow?.()));
  afterEach(() => world.leave());
  return world;
}

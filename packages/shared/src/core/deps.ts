import type { Settings } from '../contract/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Retention } from '../platform/config/retention.ts';
import type { Database } from '../platform/db/database.ts';
import type { Logger } from '../platform/logger.ts';
import type { Locale } from '../platform/texts/locale.ts';
import type { Transcripts } from '../platform/transcript/transcript.ts';
import type { PasskeyCost } from './credentials/passkey.ts';
import type { PasskeyTags } from './credentials/passkey-tags.ts';

/** The source of the numbers that a person may change at run time, for every service. */
export interface SettingsReader {
  current(): Promise<Settings>;
}

/** The dependencies of every service; made once per process in its context.ts. */
export interface ServiceDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly logger: Logger;
  readonly transcripts: Transcripts;
  readonly config: ServiceConfig;
  readonly passkeyTags: PasskeyTags;
  /**
   * The cost of the hash of a new passkey; a test that makes hundreds of agents sets a lower one than the
   * product.
   */
  readonly passkeyCost?: PasskeyCost;
}

export interface ServiceConfig {
  readonly locale: Locale;
  /** Real paths under which working directories may lie. */
  readonly workspaceRoots: readonly string[];
  readonly home: string;
  readonly loopback: boolean;
  /** For schedules that name no time zone. */
  readonly timeZone: string;
  readonly retention: Retention;
}

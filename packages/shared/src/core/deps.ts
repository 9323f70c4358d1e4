import type { Settings } from '../contract/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Retention } from '../platform/config/retention.ts';
import type { Database } from '../platform/db/database.ts';
import type { Logger } from '../platform/logger.ts';
import type { Locale } from '../platform/texts/locale.ts';
import type { Transcripts } from '../platform/transcript/transcript.ts';
import type { PasskeyCost } from './credentials/passkey.ts';
import type { PasskeyTags } from './credentials/passkey-tags.ts';

/** What every service asks for the numbers that a person may change at run time. */
export interface SettingsReader {
  current(): Promise<Settings>;
}

/** What every service is built from; made once per process in its context.ts. */
export interface ServiceDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly logger: Logger;
  readonly transcripts: Transcripts;
  readonly config: ServiceConfig;
  readonly passkeyTags: PasskeyTags;
  /** What the hash of a new passkey costs; a test that makes hundreds of agents asks for less than the product. */
  readonly passkeyCost?: PasskeyCost;
}

export interface ServiceConfig {
  readonly locale: Locale;
  /** Real paths under which working directories may lie. */
  readonly workspaceRoots: readonly string[];
  readonly home: string;
  readonly loopback: boolean;
  /** Of schedules that name none. */
  readonly timeZone: string;
  readonly retention: Retention;
}

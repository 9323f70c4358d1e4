import type { ChatLog } from '../chat-log/chat-log.ts';
import type { Clock } from '../clock.ts';
import type { Retention } from '../config/retention.ts';
import type { Database } from '../db/database.ts';
import type { Logger } from '../logger.ts';
import type { Locale } from '../texts/locale.ts';
import type { PasskeyCost } from './passkey.ts';
import type { PasskeyTags } from './passkey-tags.ts';
import type { SettingsReader } from './settings-service.ts';

/** What every service is built from; made once per process in its context.ts. */
export interface ServiceDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly logger: Logger;
  readonly chatLog: ChatLog;
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

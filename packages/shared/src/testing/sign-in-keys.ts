import { DeviceMarks } from '../core/auth/device-marks.ts';
import { PasskeyTags } from '../core/credentials/passkey-tags.ts';

const INTERNAL_TOKEN = 'internal-token-of-tests';

/** What the sign-in of every process on one database has in common. */
export const SIGN_IN_KEYS = {
  passkeyTags: new PasskeyTags(INTERNAL_TOKEN),
  deviceMarks: new DeviceMarks(INTERNAL_TOKEN),
} as const;

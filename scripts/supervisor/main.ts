import { createSignInCode, seedFirstStart } from '@aizuchi/shared/core/first-start';
import { migrate } from '@aizuchi/shared/platform/db/migrate';
import { services } from './services.ts';
import { runSupervisor } from './supervisor.ts';

await runSupervisor({
  env: process.env,
  services,
  firstStart: { migrate, seed: seedFirstStart, createSignInCode },
});

import { migrate } from '@aizuchi/shared/db/migrate';
import { createSignInCode, seedFirstStart } from '@aizuchi/shared/services/first-start';
import { services } from './services.ts';
import { runSupervisor } from './supervisor.ts';

await runSupervisor({
  env: process.env,
  services,
  firstStart: { migrate, seed: seedFirstStart, createSignInCode },
});

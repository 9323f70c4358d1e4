import { runChecks } from './checks.ts';
import { finish } from './steps.ts';

finish(await runChecks({ buildFailed: process.argv.includes('--build-failed') }));

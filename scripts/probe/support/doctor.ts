import { join } from 'node:path';
import { execa } from 'execa';

/** The whole output of `npm run doctor` about a home. */
export async function doctor(home: string): Promise<string> {
  const program = join(import.meta.dirname, '..', '..', 'doctor', 'main.ts');
  const { stdout } = await execa(process.execPath, [program], { env: { AIZUCHI_HOME: home }, reject: false });
  return stdout;
}

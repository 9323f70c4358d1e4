import { execa } from 'execa';

const SIZE = '16m';

export interface SmallDisk {
  release(): Promise<void>;
}

/**
 * Mounts a small file system on this folder, writable by agents of any account. Undefined if this account may not
 * mount one.
 */
export async function mountSmallDisk(folder: string): Promise<SmallDisk | undefined> {
  const options = `size=${SIZE},mode=0777`;
  const mounted = await execa('mount', ['-t', 'tmpfs', '-o', options, 'aizuchi-chaos', folder], {
    reject: false,
  });
  if (mounted.failed) return undefined;
  return {
    release: async () => {
      await execa('umount', ['-l', folder]);
    },
  };
}

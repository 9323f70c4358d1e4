import { z } from 'zod';
import { TESTED_CLAUDE } from '../../packages/coordinator/src/launch/claude/claude-release.ts';

/** Of the executable in each package: the package's own list (manifest.json of the Agent SDK), kept here as data. */
export const SHA256: Readonly<Record<string, string>> = {
  'linux-x64': 'f390eaa0814e6a1bff74cbb47acb74cb9c89d30ced809fe0af5af00c7bfe8ebb',
  'linux-x64-musl': '510d57bbf077b49288b9f3b53b11324048f4c2da5dcb980563be82534980d621',
  'linux-arm64': '6016f90cac783e367fb1aa97c768a2efb94a0128a5b46b70fb3d8fcbbd9dd444',
  'linux-arm64-musl': '986b83557cbd428273c37f35fc08a44fc786077deeb391660884833bc581348a',
  'darwin-x64': 'bbed99bb8a39bb3f94389c5c99d3d02cb75f3f983b5d1bc40b1b0d1efca84713',
  'darwin-arm64': 'f7c5093b9dd6560d08af28bc27b123fb55091deae3180ac39df199522da86815',
  'win32-x64': 'fa797c1bc7d4a3511da42622bae53a2b7f1276ae328c668f2bfef44635301caa',
  'win32-arm64': '782519c6241a2bedfd4c0d225d59d5095b895037ae7cd2a14a12f5bc5dcba1c3',
};

export interface ClaudePackage {
  readonly name: string;
  /** Name and version, as npm takes them. */
  readonly spec: string;
  /** The executable in the package. */
  readonly file: string;
  readonly sha256: string;
}

/** The package that holds Claude Code for this machine. Throws for a machine for which there is none. */
export function claudePackage(platform = process.platform, arch: string = process.arch): ClaudePackage {
  const machine = `${platform}-${arch}${platform === 'linux' && usesMusl() ? '-musl' : ''}`;
  const sha256 = SHA256[machine];
  if (sha256 === undefined) throw new Error(`There is no Claude Code for ${machine}.`);
  const name = `@anthropic-ai/claude-agent-sdk-${machine}`;
  const file = platform === 'win32' ? 'claude.exe' : 'claude';
  return { name, spec: `${name}@${TESTED_CLAUDE.sdk}`, file, sha256 };
}

const reportSchema = z.object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) });

function usesMusl(): boolean {
  return reportSchema.parse(process.report.getReport()).header.glibcVersionRuntime === undefined;
}

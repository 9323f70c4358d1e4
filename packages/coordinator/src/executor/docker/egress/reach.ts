import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isEgressAllowed } from '@aizuchi/shared/core/projects/rules/egress';
import { withoutBrackets } from '@aizuchi/shared/platform/config/docker-config';
import { isOutside } from '@aizuchi/shared/platform/http/outbound';
import type { RunErrorTexts, SaidReason } from '../../../texts/run-errors.ts';
import type { KeptRun } from './kept-runs.ts';
import type { Resolve } from './resolve.ts';

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** How to connect: only to addresses that were looked at. */
export interface Way extends Target {
  readonly lookup: LookupFunction;
}

/** Why not, with the status of an answer of HTTP. */
export interface NoWay {
  readonly status: 403 | 502;
  readonly text: string;
}

interface Traveller {
  readonly run: KeptRun;
  readonly texts: Pick<RunErrorTexts, 'egressNotNamed' | 'egressPrivate'>;
  readonly resolve: Resolve;
}

/**
 * Where a run may connect. A name is resolved here and not again, so one that leads elsewhere the second time gains nothing.
 * What this host and its networks are is reached only as an address that the list names.
 */
export async function wayTo(
  { host, port }: Target,
  { run, texts, resolve }: Traveller,
): Promise<Way | NoWay> {
  const refuse = (said: SaidReason): NoWay => {
    run.say(said);
    return { status: 403, text: said.text };
  };
  const target = `${host}:${port}`;
  if (!isEgressAllowed(run.egress, host, port)) return refuse(texts.egressNotNamed(target));
  const name = withoutBrackets(host);
  // It is only allowed as the list names it.
  if (isIP(name) !== 0) return { host: name, port, lookup: lookupIn([]) };
  const found = await run.resolve(name, resolve).catch((error: unknown) => codeOf(error));
  if (typeof found === 'string') return { status: 502, text: `${target}: ${found}` };
  const allowed = found.filter(
    ({ address }) => isOutside(address) || isEgressAllowed(run.egress, address, port),
  );
  if (allowed.length === 0) return refuse(texts.egressPrivate(target, found[0]?.address ?? ''));
  return { host: name, port, lookup: lookupIn(allowed) };
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'no connection';
}

/** Of addresses that were looked at. */
export function lookupIn(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, { all }, done) => {
    const [first] = addresses;
    if (all) return done(null, [...addresses]);
    done(null, first?.address ?? '', first?.family);
  };
}

import type { Reason } from '@aizuchi/shared/contract/reason';
import { beginningOf } from '@aizuchi/shared/contract/storable';
import type { Locale } from '@aizuchi/shared/platform/config/config';
import { type ReasonCode, reasonText } from '@aizuchi/shared/platform/texts/reason-texts';

/** A reason with its text in the language of this Coordinator, for whoever does not know the code. */
export interface SaidReason {
  readonly text: string;
  readonly reason: Reason;
}

/** As the server takes it: a path may be as long. */
const MAX_PARAM_LENGTH = 4_000;

/** Why a run could not be started or ended, and what to do. Shown to people with the run and in the chat. */
export interface RunErrorTexts {
  readonly directoryMissing: (path: string) => SaidReason;
  readonly directoryIsLink: (path: string) => SaidReason;
  readonly directoryOverlaps: (path: string) => SaidReason;
  readonly directoryNotWritable: (path: string, account: string) => SaidReason;
  readonly commandMissing: SaidReason;
  readonly commandNotFound: (file: string) => SaidReason;
  readonly commandNotExecutable: (file: string, account: string) => SaidReason;
  readonly commandNotAllowed: (file: string) => SaidReason;
  readonly baseUrlMissing: SaidReason;
  readonly modelMissing: SaidReason;
  /** `variable`: a variable of the Coordinator, never its value. */
  readonly keyMissing: (variable: string) => SaidReason;
  readonly claudeMissing: SaidReason;
  readonly claudeTooOld: (file: string, version: string, least: string) => SaidReason;
  readonly claudeNotExecutable: (file: string, account: string) => SaidReason;
  readonly incomplete: SaidReason;
  readonly spawnFailed: (reason: string) => SaidReason;
  readonly wouldNotDie: (pids: string) => SaidReason;
  readonly gitMissing: SaidReason;
  readonly gitTooOld: (version: string, oldest: string) => SaidReason;
  readonly noRepository: (path: string) => SaidReason;
  readonly bareRepository: (path: string) => SaidReason;
  readonly emptyRepository: (path: string) => SaidReason;
  readonly worktreeNotMade: (path: string, reason: string) => SaidReason;
  readonly worktreeNotReadable: (reason: string) => SaidReason;
  readonly worktreeInUse: (path: string) => SaidReason;
  readonly worktreeOfOtherFolder: (path: string) => SaidReason;
  readonly tooManyChanges: (files: number) => SaidReason;
  readonly changesTooLarge: (mebibytes: number) => SaidReason;
  /** `reason`: the code of the system, such as ECONNREFUSED. */
  readonly engineUnreachable: (address: string, reason: string) => SaidReason;
  readonly engineRefused: (reason: string) => SaidReason;
  readonly engineSocketInFolder: (path: string) => SaidReason;
  readonly imageMissing: (image: string, address: string) => SaidReason;
  /** The same of an image that the agent names. */
  readonly agentImageMissing: (image: string, address: string) => SaidReason;
  /** While it waits; in the log of the run. */
  readonly pulling: (image: string, percent: number) => SaidReason;
  readonly pullFailed: (image: string, reason: string) => SaidReason;
  readonly pullLate: (image: string, percent: number) => SaidReason;
  readonly swarmRefused: (reason: string) => SaidReason;
  readonly noNode: (reason: string) => SaidReason;
  readonly nodeLate: (node: string, image: string) => SaidReason;
  readonly notOnNode: (node: string, path: string) => SaidReason;
  readonly imageNotOnNode: (node: string, image: string) => SaidReason;
  readonly nodeLost: (node: string) => SaidReason;
  readonly takenOffNode: (node: string) => SaidReason;
  readonly clusterUnreachable: (address: string, reason: string) => SaidReason;
  readonly clusterRefused: (reason: string) => SaidReason;
  readonly folderNotInCluster: (path: string) => SaidReason;
  readonly podNotPlaced: (reason: string) => SaidReason;
  readonly podLate: (node: string, reason: string) => SaidReason;
  readonly podImage: (node: string, image: string, reason: string) => SaidReason;
  readonly podRefused: (node: string, reason: string) => SaidReason;
  readonly podNodeLost: (node: string) => SaidReason;
  readonly podTakenOff: (node: string, reason: string) => SaidReason;
  readonly noPrivilegeLock: (image: string) => SaidReason;
  readonly outOfMemory: (mebibytes: number) => SaidReason;
  readonly needsContainer: SaidReason;
  readonly needsEgress: SaidReason;
  /** In the log of the run: why it was not connected. `target`: host and port. */
  readonly egressNotNamed: (target: string) => SaidReason;
  readonly egressPrivate: (target: string, address: string) => SaidReason;
  readonly egressNotListening: (address: string, reason: string) => SaidReason;
  readonly egressNoServer: (address: string, reason: string) => SaidReason;
}

function runErrors(locale: Locale): RunErrorTexts {
  const say = (code: ReasonCode, values: Reason['params'] = {}): SaidReason => {
    const params = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, bounded(value)]));
    return { text: reasonText(locale, { code, params }) ?? code, reason: { code, params } };
  };
  return {
    directoryMissing: (path) => say('directory_missing', { path }),
    directoryIsLink: (path) => say('directory_is_link', { path }),
    directoryOverlaps: (path) => say('directory_overlaps', { path }),
    directoryNotWritable: (path, account) => say('directory_not_writable', { path, account }),
    commandMissing: say('command_missing'),
    commandNotFound: (file) => say('command_not_found', { file }),
    commandNotExecutable: (file, account) => say('command_not_executable', { file, account }),
    commandNotAllowed: (file) => say('command_not_allowed', { file }),
    baseUrlMissing: say('base_url_missing'),
    modelMissing: say('model_missing'),
    keyMissing: (variable) => say('key_missing', { variable }),
    claudeMissing: say('claude_missing'),
    claudeTooOld: (file, version, least) => say('claude_too_old', { file, version, least }),
    claudeNotExecutable: (file, account) =>
      account === ''
        ? say('claude_not_executable', { file })
        : say('claude_not_executable_by', { file, account }),
    incomplete: say('incomplete'),
    spawnFailed: (reason) => say('spawn_failed', { reason }),
    wouldNotDie: (pids) => say('would_not_die', { pids }),
    gitMissing: say('git_missing'),
    gitTooOld: (version, oldest) => say('git_too_old', { version, oldest }),
    noRepository: (path) => say('no_repository', { path }),
    bareRepository: (path) => say('bare_repository', { path }),
    emptyRepository: (path) => say('empty_repository', { path }),
    worktreeNotMade: (path, reason) => say('worktree_not_made', { path, reason }),
    worktreeNotReadable: (reason) => say('worktree_not_readable', { reason }),
    worktreeInUse: (path) => say('worktree_in_use', { path }),
    worktreeOfOtherFolder: (path) => say('worktree_of_other_folder', { path }),
    tooManyChanges: (files) => say('too_many_changes', { files }),
    changesTooLarge: (mebibytes) => say('changes_too_large', { mebibytes }),
    engineUnreachable: (address, reason) => say('engine_unreachable', { address, reason }),
    engineRefused: (reason) => say('engine_refused', { reason }),
    engineSocketInFolder: (path) => say('engine_socket_in_folder', { path }),
    imageMissing: (image, address) => say('image_missing', { image, address }),
    agentImageMissing: (image, address) => say('agent_image_missing', { image, address }),
    pulling: (image, percent) => say('pulling', { image, percent }),
    pullFailed: (image, reason) => say('pull_failed', { image, reason }),
    pullLate: (image, percent) => say('pull_late', { image, percent }),
    swarmRefused: (reason) => say('swarm_refused', { reason }),
    noNode: (reason) => say('no_node', { reason }),
    nodeLate: (node, image) => say('node_late', { node, image }),
    notOnNode: (node, path) => say('not_on_node', { node, path }),
    imageNotOnNode: (node, image) => say('image_not_on_node', { node, image }),
    nodeLost: (node) => say('node_lost', { node }),
    takenOffNode: (node) => say('taken_off_node', { node }),
    clusterUnreachable: (address, reason) => say('cluster_unreachable', { address, reason }),
    clusterRefused: (reason) => say('cluster_refused', { reason }),
    folderNotInCluster: (path) => say('folder_not_in_cluster', { path }),
    podNotPlaced: (reason) => say('pod_not_placed', { reason }),
    podLate: (node, reason) => say('pod_late', { node, reason }),
    podImage: (node, image, reason) => say('pod_image', { node, image, reason }),
    podRefused: (node, reason) => say('pod_refused', { node, reason }),
    podNodeLost: (node) => say('pod_node_lost', { node }),
    podTakenOff: (node, reason) => say('pod_taken_off', { node, reason }),
    noPrivilegeLock: (image) => say('no_privilege_lock', { image }),
    outOfMemory: (mebibytes) => say('out_of_memory', { mebibytes }),
    needsContainer: say('needs_container'),
    needsEgress: say('needs_egress'),
    egressNotNamed: (target) => say('egress_not_named', { target }),
    egressPrivate: (target, address) => say('egress_private', { target, address }),
    egressNotListening: (address, reason) => say('egress_not_listening', { address, reason }),
    egressNoServer: (address, reason) => say('egress_no_server', { address, reason }),
  };
}

function bounded(value: string | number): string | number {
  return typeof value === 'string' ? beginningOf(value, MAX_PARAM_LENGTH) : value;
}

export const RUN_ERRORS: Readonly<Record<Locale, RunErrorTexts>> = {
  ja: runErrors('ja'),
  en: runErrors('en'),
};

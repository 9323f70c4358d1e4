import type { REASONS_JA } from './reason-texts.ja.ts';

export const REASONS_EN: Readonly<Record<keyof typeof REASONS_JA, string>> = {
  directory_missing:
    "The working directory {path} does not exist. Make it, or change the project's settings.",
  directory_is_link:
    "The working directory {path}, or a folder above it, has become a link. Links are not followed. Put the folder back, or name the real path in the project's settings.",
  directory_overlaps:
    'The working directory {path} and the folder of another project overlap: one lies inside the other. Choose another folder in the settings of one of the two projects.',
  directory_not_writable:
    "The account {account} cannot write to the working directory {path}. Give it the folder, but not the transcripts in .ai-pm: find '{path}' -path '{path}/.ai-pm' -prune -o -exec chown -h {account} {} +",
  command_missing: 'This agent has no command.',
  command_not_found: "The command {file} was not found. Install it, or change the agent's settings.",
  command_not_executable:
    'The account {account} cannot execute the command {file}. Name one that it can execute, or give it the right to.',
  command_not_allowed:
    'The command {file} is not allowed on this host. Add it to COORDINATOR_ALLOWED_COMMANDS.',
  base_url_missing:
    "This agent has no address of a model (base URL). Set it on the agent's page, for example http://127.0.0.1:11434/v1 for Ollama.",
  model_missing:
    "This agent has no model. Set it on the agent's page: the name under which its address knows the model.",
  key_missing:
    "The variable {variable}, which holds the API key of this agent, is not set where the Coordinator runs. Set it and start the Coordinator again; if the address needs no key, empty the field on the agent's page.",
  claude_missing:
    'There is no Claude Code on this host. Install it (https://claude.com/claude-code), or run npm run add-claude in the folder of Aizuchi.',
  claude_too_old:
    'Claude Code {version} ({file}) is too old: {least} or newer is needed. Update it with claude update, or run npm run add-claude in the folder of Aizuchi.',
  claude_not_executable:
    'Claude Code ({file}) cannot be executed. Install it again, or run npm run add-claude in the folder of Aizuchi.',
  claude_not_executable_by:
    'Claude Code ({file}) cannot be executed by the account {account}. Install it again, or run npm run add-claude in the folder of Aizuchi.',
  incomplete: "The server's order to start lacks something that is needed.",
  spawn_failed: 'The process could not be started: {reason}',
  would_not_die: 'Processes are left that cannot be ended (pid {pids}). Look at the host.',
  git_missing:
    'This project gives each run a worktree, but there is no git on the host of the Coordinator. Install git, or choose the shared folder in the settings of the project.',
  git_too_old: 'The git {version} on the host of the Coordinator is too old. Install {oldest} or newer.',
  no_repository:
    'This project gives each run a worktree, but {path} is no git repository. Run git init there and make a first commit, or choose the shared folder in the settings of the project.',
  bare_repository:
    '{path} is a bare repository: it has no files into which changes could be kept. Name a clone of it as the folder of the project.',
  empty_repository:
    'The git repository {path} has no commit yet, so no worktree can be made of it. Make a first commit.',
  worktree_not_made:
    'No worktree of {path} could be made. Look whether the account of the agents can write to its .git: {reason}',
  worktree_not_readable: 'The worktree could not be handled: {reason}',
  worktree_in_use:
    'A process of the interrupted run still works in its worktree of {path}. The next run gets a new worktree.',
  worktree_of_other_folder:
    'The worktree of the interrupted run is of another folder, {path}. The next run gets a new worktree.',
  too_many_changes:
    '{files} files changed in the worktree: too many to show or keep. Name generated files in .gitignore.',
  changes_too_large:
    'The changes in the worktree have {mebibytes} MiB: too much to show or keep. Name generated files in .gitignore.',
  engine_unreachable:
    'The Docker engine at {address} does not answer ({reason}). Look whether it runs and the account of the Coordinator may use it; AIZUCHI_DOCKER_HOST says where it is.',
  engine_refused: 'The Docker engine did not start the container: {reason}',
  engine_socket_in_folder:
    "The working directory {path} contains the socket of the Docker engine, which no agent may have. Name another folder in the project's settings.",
  image_missing:
    'The Docker engine at {address} has no image {image}. Run docker build --target runner -t {image} . in the folder of Aizuchi.',
  agent_image_missing:
    'The Docker engine at {address} has no image {image}, which this agent names. Build it there, or name one of a registry on the page of the agent.',
  pulling: 'Pulling the image {image}: {percent} %',
  pull_failed:
    'The image {image} could not be pulled ({reason}). Look at its name, at the way to its registry, and whether that wants a sign-in. On the host of the engine docker pull {image} says more.',
  pull_late:
    'The image {image} is still being pulled ({percent} %). The pull goes on: wait a while, then retry.',
  swarm_refused: 'The swarm did not start the service: {reason}',
  no_node:
    'No node of the swarm can take this agent ({reason}). Look at the nodes, and at AIZUCHI_SWARM_CONSTRAINTS.',
  node_late:
    'The node {node} of the swarm is still getting the image {image} ready, or the container. Wait a while, then retry. On that node docker pull {image} says more.',
  not_on_node:
    'The node {node} of the swarm has no folder {path}. Mount shared storage at the same path on all nodes, or name the nodes that have it in AIZUCHI_SWARM_CONSTRAINTS.',
  image_not_on_node:
    'The node {node} of the swarm has no image {image} and cannot get it. Put it in a registry that every node reaches, and name it in AIZUCHI_DOCKER_IMAGE.',
  node_lost:
    'The node {node} of the swarm does not answer any more, so the run is lost. Its work goes on at another node.',
  taken_off_node:
    'The swarm has taken the run off its node {node}, for instance because it is drained. Its work goes on at another node.',
  cluster_unreachable:
    'The Kubernetes API at {address} does not answer ({reason}). Look whether it runs and is reached from the Coordinator; AIZUCHI_KUBERNETES_CONFIG says where it is.',
  cluster_refused: 'Kubernetes did not start the Job: {reason}',
  folder_not_in_cluster:
    'No volume of the cluster has the folder {path}. Name the claim that has it in AIZUCHI_KUBERNETES_CLAIMS, or the folder in AIZUCHI_KUBERNETES_HOST_PATHS when every node has it.',
  pod_not_placed:
    'No node of the cluster takes this agent ({reason}). Look at the nodes, at the quota of the namespace, and at AIZUCHI_KUBERNETES_NODES.',
  pod_late:
    'The node {node} of the cluster still gets the container ready ({reason}). Wait a while, then retry.',
  pod_image:
    'The node {node} of the cluster cannot get the image {image} ({reason}). Look at its name in AIZUCHI_DOCKER_IMAGE, at the way to its registry, and whether that wants a sign-in: then name the secret of it in the service account of the runs.',
  pod_refused: 'The node {node} of the cluster could not start the container: {reason}',
  pod_node_lost:
    'The node {node} of the cluster does not answer any more, so the run is lost. Its work goes on at another node.',
  pod_taken_off:
    'Kubernetes has taken the run off its node {node} ({reason}). Its work goes on at another node.',
  no_privilege_lock:
    'The image {image} has no setpriv, without which an agent could gain privileges. Add util-linux to it, or the setpriv of BusyBox.',
  out_of_memory:
    'The process was ended because it needed more than its {mebibytes} MiB of memory. Give the agent more memory on its page, under Container, or smaller pieces of work.',
  needs_container:
    'This agent may run in a container only, and there is no Coordinator that has containers. Start one with AIZUCHI_EXECUTOR=docker, swarm or kubernetes, or change the setting on the page of the agent, under Container.',
  needs_egress:
    'This project allows its agents only some hosts, and there is no Coordinator that can keep them to that. Start one with AIZUCHI_EXECUTOR=docker on the host of its engine, or change the network of agents in the settings of the project.',
  egress_not_named: '{target} is not on the egress list of the project.',
  egress_private:
    '{target} leads to {address}, which is an address of this host or of a private network. The egress list of the project must name that address itself.',
  egress_not_listening:
    'The Coordinator could not listen at {address}, where agents that are kept to a list of hosts reach it ({reason}). It must run on the host of the Docker engine, and not in a container.',
  egress_no_server:
    'The mcp-server at {address} does not answer the Coordinator ({reason}), which passes on to it what agents say that are kept to a list of hosts. On the host of the Coordinator it must listen at an address of IPv4, such as 127.0.0.1.',
  review_chain_limit:
    'It is reported as done, but its review cannot begin, because the chain of agents has reached its limit. Look at the result, then move it on.',
  exited: 'exit code {exitCode}',
  signalled: 'signal {signal}',
};

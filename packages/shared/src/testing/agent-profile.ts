import type { ToolOutput } from '../contract/tools/tools.ts';
import type { PermissionPolicy } from '../core/approvals/rules/permission-policy.ts';

/** What a scripted server says of an agent whose project has this policy. */
export function profileWith(policy: PermissionPolicy): ToolOutput<'get_my_profile'> {
  return {
    agent_id: 'agt_1',
    name: 'Aiko',
    labels: [],
    purpose: 'chat',
    project: {
      project_id: 'prj_1',
      name: 'Tea house',
      working_directory: '/tmp',
      status: 'active',
      permission_policy: policy,
    },
  };
}

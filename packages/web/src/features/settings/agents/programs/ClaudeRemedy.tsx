import { useQuery } from '@tanstack/react-query';
import { hostProgramsQuery } from './host-programs-query.ts';
import { ProgramRemedy } from './ProgramRemedy.tsx';
import { statusOf } from './program-status.ts';

/** What is to be done before an agent of provider `claude` can run. Nothing when all is well, or nothing is known. */
export function ClaudeRemedy() {
  const { data } = useQuery(hostProgramsQuery());
  return <ProgramRemedy status={statusOf(data, 'claude')} file="claude" install="npm run add-claude" />;
}

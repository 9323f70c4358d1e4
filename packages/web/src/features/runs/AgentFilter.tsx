import type { Agent } from '@aizuchi/shared/contract/agent';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { Menu, MenuItem } from '../../components/Menu.tsx';

interface AgentFilterProps {
  readonly agents: readonly Agent[];
  /** Absent: all agents. */
  readonly by: string | undefined;
  readonly nameOf: (agentId: string) => string;
  readonly onChange: (agentId: string | undefined) => void;
}

export function AgentFilter({ agents, by, nameOf, onChange }: AgentFilterProps) {
  const { t } = useTranslation();
  return (
    <Menu
      trigger={
        <Button
          variant={by === undefined ? 'quiet' : 'default'}
          size="sm"
          icon="filter"
          data-testid="runs-filter"
        >
          {by === undefined ? t('runs.allAgents') : nameOf(by)}
        </Button>
      }
    >
      <MenuItem onSelect={() => onChange(undefined)}>
        <Check isOn={by === undefined} />
        {t('runs.allAgents')}
      </MenuItem>
      {agents.map(({ id, name }) => (
        <MenuItem key={id} onSelect={() => onChange(id)}>
          <Check isOn={by === id} />
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}

function Check({ isOn }: { readonly isOn: boolean }) {
  return <Icon name="check" size={14} className={clsx('text-ink-2', !isOn && 'invisible')} />;
}

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/Menu.tsx';
import { useAskedSignOut } from '../../features/auth/use-asked-sign-out.tsx';
import { joined } from '../../lib/joined.ts';
import { meQuery } from '../../lib/queries/queries.ts';

export function AccountMenu() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery());
  const { signOut, question } = useAskedSignOut(me);
  if (!me) return <span className="ml-1 size-6" />;
  const menu = (
    <Menu
      label={joined([me.name, t(`app.accessLevel.${me.accessLevel ?? 'viewer'}`)])}
      trigger={
        <button
          type="button"
          aria-label={t('app.account', { name: me.name })}
          data-testid="account-menu"
          className="ml-1 flex rounded-md"
        >
          <Avatar name={me.name} type="human" />
        </button>
      }
    >
      <MenuItem icon="gear" onSelect={() => void navigate({ to: '/settings' })}>
        {t('app.settings')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon="signOut" testId="sign-out" onSelect={signOut}>
        {t('app.signOut')}
      </MenuItem>
    </Menu>
  );
  return (
    <>
      {menu}
      {question}
    </>
  );
}

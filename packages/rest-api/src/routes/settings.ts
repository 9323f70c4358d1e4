import type { SettingsView } from '@aizuchi/shared/contract/settings';
import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

type Names = 'getSettings' | 'updateSettings';

export function settingsRoutes({ settings, config: { mcpUrl } }: RestContext): HandlersOf<Names> {
  const withAddress = (view: SettingsView): SettingsView => ({ ...view, ...(mcpUrl && { mcpUrl }) });
  return {
    getSettings: async ({ person }) => withAddress(await settings.get(person)),
    updateSettings: async ({ person, body }) => withAddress(await settings.update(person, body)),
  };
}

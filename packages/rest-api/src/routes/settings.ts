import type { RestContext } from '../context.ts';
import type { HandlersOf } from '../plugins/route-table.ts';

export function settingsRoutes({ settings }: RestContext): HandlersOf<'getSettings' | 'updateSettings'> {
  return {
    getSettings: ({ person }) => settings.get(person),
    updateSettings: ({ person, body }) => settings.update(person, body),
  };
}

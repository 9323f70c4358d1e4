import { settingsViewSchema, updateSettingsBodySchema } from '../settings.ts';
import type { RouteDefinition } from './route.ts';

export const SETTINGS_ROUTES = {
  getSettings: {
    method: 'GET',
    path: '/api/settings',
    caller: 'person',
    tag: 'Settings',
    summary: 'The settings, and where each comes from',
    success: 200,
    response: settingsViewSchema,
  },
  updateSettings: {
    method: 'PUT',
    path: '/api/settings',
    caller: 'owner',
    tag: 'Settings',
    summary: 'Change settings; what is not named stays',
    body: updateSettingsBodySchema,
    success: 200,
    response: settingsViewSchema,
  },
} as const satisfies Record<string, RouteDefinition>;

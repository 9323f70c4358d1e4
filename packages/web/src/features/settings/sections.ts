import type { IconName } from '../../components/icon-paths.ts';

/** The sections of the settings, as in the address. */
export const SECTIONS = ['general', 'mcp', 'people', 'agents', 'tokens', 'notifications', 'about'] as const;
export type Section = (typeof SECTIONS)[number];

export const SECTION_ICONS: Record<Section, IconName> = {
  general: 'gear',
  mcp: 'host',
  people: 'people',
  agents: 'terminal',
  tokens: 'key',
  notifications: 'bell',
  about: 'info',
};

export function toSection(text: string | undefined): Section | undefined {
  return text === undefined ? 'general' : SECTIONS.find((section) => section === text);
}

export const OWNER_ID = 'owner';
export const WELCOME_PROJECT_ID = 'prj_welcome';
export const WELCOME_AGENT_IDS = { guide: 'agt_welcome_guide', helper: 'agt_welcome_helper' } as const;

import type { CatalogOf } from './catalog.ts';
import { agents } from './ja/agents.ts';
import { app } from './ja/app.ts';
import { auth } from './ja/auth.ts';
import { board } from './ja/board.ts';
import { chat } from './ja/chat.ts';
import { commands } from './ja/commands.ts';
import { common } from './ja/common.ts';
import { conversations } from './ja/conversations.ts';
import { errors } from './ja/errors.ts';
import { inbox } from './ja/inbox.ts';
import { notifications } from './ja/notifications.ts';
import { projects } from './ja/projects.ts';
import { questions } from './ja/questions.ts';
import { runs } from './ja/runs.ts';
import { schedules } from './ja/schedules.ts';
import { settings } from './ja/settings.ts';

/** Japanese is the first language: its keys are the keys. One file for each feature. */
export const ja = {
  agents,
  app,
  auth,
  board,
  chat,
  commands,
  common,
  conversations,
  errors,
  inbox,
  notifications,
  projects,
  questions,
  runs,
  schedules,
  settings,
} as const;
export type Catalog = CatalogOf<typeof ja>;

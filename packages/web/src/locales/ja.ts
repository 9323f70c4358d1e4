import type { CatalogOf } from './catalog.ts';
import { agents } from './ja/agents.ts';
import { app } from './ja/app.ts';
import { approvals } from './ja/approvals.ts';
import { auth } from './ja/auth.ts';
import { board } from './ja/board.ts';
import { changes } from './ja/changes.ts';
import { chat } from './ja/chat.ts';
import { common } from './ja/common.ts';
import { conversations } from './ja/conversations.ts';
import { errors } from './ja/errors.ts';
import { inbox } from './ja/inbox.ts';
import { notifications } from './ja/notifications.ts';
import { projects } from './ja/projects.ts';
import { questions } from './ja/questions.ts';

import type { laterJa } from './ja-later.ts';

/**
 * Japanese is the first language: its keys are the keys. One file for each feature. What few people open is in
 * ja-later.ts, which is loaded with it.
 */
export const ja = {
  agents,
  app,
  approvals,
  auth,
  board,
  changes,
  chat,
  common,
  conversations,
  errors,
  inbox,
  notifications,
  projects,
  questions,
} as const;
export type FirstTexts = CatalogOf<typeof ja>;
export type Catalog = FirstTexts & CatalogOf<typeof laterJa>;

import { agents } from './en/agents.ts';
import { app } from './en/app.ts';
import { auth } from './en/auth.ts';
import { board } from './en/board.ts';
import { chat } from './en/chat.ts';
import { commands } from './en/commands.ts';
import { common } from './en/common.ts';
import { conversations } from './en/conversations.ts';
import { errors } from './en/errors.ts';
import { inbox } from './en/inbox.ts';
import { notifications } from './en/notifications.ts';
import { projects } from './en/projects.ts';
import { questions } from './en/questions.ts';
import { runs } from './en/runs.ts';
import { schedules } from './en/schedules.ts';
import { settings } from './en/settings.ts';
import type { Catalog } from './ja.ts';

export const en: Catalog = {
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
};

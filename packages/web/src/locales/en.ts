import { agents } from './en/agents.ts';
import { app } from './en/app.ts';
import { approvals } from './en/approvals.ts';
import { auth } from './en/auth.ts';
import { board } from './en/board.ts';
import { changes } from './en/changes.ts';
import { chat } from './en/chat.ts';
import { common } from './en/common.ts';
import { conversations } from './en/conversations.ts';
import { errors } from './en/errors.ts';
import { inbox } from './en/inbox.ts';
import { notifications } from './en/notifications.ts';
import { projects } from './en/projects.ts';
import { questions } from './en/questions.ts';
import type { FirstTexts } from './ja.ts';

export const en: FirstTexts = {
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
};

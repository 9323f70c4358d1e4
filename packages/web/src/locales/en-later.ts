import type { CatalogOf } from './catalog.ts';
import { agentPage } from './en/agentPage.ts';
import { commands } from './en/commands.ts';
import { folders } from './en/folders.ts';
import { hello } from './en/hello.ts';
import { keySheet } from './en/keySheet.ts';
import { memoryPage } from './en/memoryPage.ts';
import { memoryUsed } from './en/memoryUsed.ts';
import { notify } from './en/notify.ts';
import { projectRules } from './en/projectRules.ts';
import { putAway } from './en/putAway.ts';
import { runs } from './en/runs.ts';
import { schedules } from './en/schedules.ts';
import { search } from './en/search.ts';
import { settings } from './en/settings.ts';
import { task } from './en/task.ts';
import { transfer } from './en/transfer.ts';
import { usage } from './en/usage.ts';
import { vision } from './en/vision.ts';
import type { laterJa } from './ja-later.ts';

export const laterEn: CatalogOf<typeof laterJa> = {
  agentPage,
  folders,
  commands,
  hello,
  keySheet,
  memoryPage,
  memoryUsed,
  notify,
  projectRules,
  putAway,
  runs,
  schedules,
  search,
  settings,
  task,
  transfer,
  usage,
  vision,
};

import { agentPage } from './ja/agentPage.ts';
import { commands } from './ja/commands.ts';
import { folders } from './ja/folders.ts';
import { hello } from './ja/hello.ts';
import { keySheet } from './ja/keySheet.ts';
import { memoryPage } from './ja/memoryPage.ts';
import { memoryUsed } from './ja/memoryUsed.ts';
import { notify } from './ja/notify.ts';
import { projectRules } from './ja/projectRules.ts';
import { putAway } from './ja/putAway.ts';
import { runs } from './ja/runs.ts';
import { schedules } from './ja/schedules.ts';
import { search } from './ja/search.ts';
import { settings } from './ja/settings.ts';
import { task } from './ja/task.ts';
import { transfer } from './ja/transfer.ts';
import { usage } from './ja/usage.ts';
import { vision } from './ja/vision.ts';

/** The texts of what few people open: a chunk of its own, which `withTexts` loads. */
export const laterJa = {
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
} as const;

import type { Row } from './row.ts';
import { AGENT_ROWS } from './states/agents.ts';
import { BOARD_ROWS } from './states/board.ts';
import { DAILY_ROWS } from './states/daily.ts';
import { FILE_ROWS } from './states/files.ts';
import { FRAME_ROWS } from './states/frame.ts';
import { START_ROWS } from './states/start.ts';
import { WAITING_ROWS } from './states/waiting.ts';
import { WRITING_ROWS } from './states/writing.ts';

/** In the order of the list, see docs/design/daily-use.md. */
export const ROWS: readonly Row[] = [
  ...START_ROWS,
  ...WRITING_ROWS,
  ...WAITING_ROWS,
  ...AGENT_ROWS,
  ...FRAME_ROWS,
  ...BOARD_ROWS,
  ...DAILY_ROWS,
  ...FILE_ROWS,
].toSorted((a, b) => (a.id < b.id ? -1 : 1));

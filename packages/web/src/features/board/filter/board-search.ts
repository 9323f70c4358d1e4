export const DUE_FILTERS = ['overdue', 'week', 'none'] as const;
export type DueFilter = (typeof DUE_FILTERS)[number];
export const BOARD_VIEWS = ['agents', 'problems'] as const;
export type BoardView = (typeof BOARD_VIEWS)[number];

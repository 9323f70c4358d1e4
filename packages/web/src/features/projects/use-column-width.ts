import { useState } from 'react';
import { storage } from '../../lib/storage.ts';

export const MIN_WIDTH = 320;
export const MAX_WIDTH = 800;
const DEFAULT_WIDTH = 376;

/** The width of the chat, kept for each project. */
export function useColumnWidth(projectId: string): readonly [number, (width: number) => void] {
  const key = `chatWidth.${projectId}`;
  const [stored, setStored] = useState<{ key: string; width: number }>();
  const width = stored?.key === key ? stored.width : clamp(Number(storage.get(key) ?? DEFAULT_WIDTH));
  return [
    width,
    (next) => {
      const fitting = clamp(next);
      storage.set(key, String(fitting));
      setStored({ key, width: fitting });
    },
  ];
}

function clamp(width: number): number {
  return Number.isFinite(width) ? Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))) : DEFAULT_WIDTH;
}

type Theme = 'light' | 'dark';
export type Language = 'ja' | 'en';

/** A window in which every state is shown. */
export interface Look {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Pixels of the picture for each pixel of the page. */
  readonly scale: number;
  readonly isTouched: boolean;
  readonly themes: readonly Theme[];
}

export const LANGUAGES: readonly Language[] = ['ja', 'en'];

export const LOOKS: readonly Look[] = [
  { name: 'wide', width: 1440, height: 900, scale: 1, isTouched: false, themes: ['light', 'dark'] },
  { name: '360', width: 360, height: 780, scale: 2, isTouched: true, themes: ['light', 'dark'] },
  // A window of 1440 × 900 at a zoom of 200 %.
  { name: 'zoom', width: 720, height: 450, scale: 2, isTouched: false, themes: ['light'] },
];

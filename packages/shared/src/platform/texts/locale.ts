export const LOCALES = ['ja', 'en'] as const;
export type Locale = (typeof LOCALES)[number];

/** Of ours the one that Accept-Language wants most; undefined when it names none. */
export function localeOfHeader(header = ''): Locale | undefined {
  const wanted = header.split(',').map((part) => {
    const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
    const q = parameters.map((one) => /^\s*q=([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean);
    return {
      locale: LOCALES.find((one) => tag === one || tag.startsWith(`${one}-`)),
      weight: Number(q ?? 1),
    };
  });
  return wanted
    .filter(({ locale, weight }) => locale !== undefined && weight > 0)
    .toSorted((a, b) => b.weight - a.weight)[0]?.locale;
}

/**
 * The shape that the other languages must have. Japanese has one form for counts, others may have more: for
 * `x_other` they may add `x_one`.
 */
export type CatalogOf<T> = {
  readonly [K in keyof T]: T[K] extends string ? string : CatalogOf<T[K]>;
} & {
  readonly [K in keyof T as K extends `${infer Base}_other` ? `${Base}_one` : never]?: string;
};

import { type RawBuilder, sql } from 'kysely';

const MARK = /^\s*\/\* prepared: ([a-z-]+) \*\//;

/**
 * Begins a read that is planned once for each connection, not at each call: for a long text on a hot path, whose plan
 * takes longer than its reading (presence: 7 to 25 ms). One name stands for one text.
 */
export const prepared = (name: string): RawBuilder<unknown> => sql.raw(`/* prepared: ${name} */`);

/** The name with which the read begins; undefined for others. */
export const preparedName = (text: string): string | undefined => MARK.exec(text)?.[1];

import { OF_ONE_MEMBERSHIP, SHARED } from '../platform/db/lock-order.ts';

/** Two tables of one list have an order; a shared one comes before what belongs to a membership only if it is the membership. */
const RANKS = [SHARED, OF_ONE_MEMBERSHIP].map(
  (list) => new Map<string, number>(list.map((table, rank) => [table, rank])),
);
const MEMBERSHIP = 'project_agents';

function isKnown(table: string): boolean {
  return RANKS.some((ranks) => ranks.has(table));
}

/** `first` was locked before `second` in one transaction, and may not have been. */
function isInversion(first: string, second: string, holdsMembership: boolean): boolean {
  const [shared, ofAMembership] = RANKS;
  const isBefore = (ranks: Map<string, number> | undefined) => {
    const [one, other] = [ranks?.get(first), ranks?.get(second)];
    return one !== undefined && other !== undefined && one > other;
  };
  if (isBefore(shared)) return true;
  return (
    !holdsMembership &&
    (isBefore(ofAMembership) || (second === MEMBERSHIP && ofAMembership?.has(first) === true))
  );
}

interface Lock {
  readonly table: string;
  readonly statement: string;
}

/** Reads from the statements of each transaction which rows it locks, and in which order of tables. */
export class LockRecorder {
  /** An inversion in words, each once. */
  readonly inversions = new Set<string>();
  readonly #open = new WeakMap<object, Lock[]>();
  /** A program runs the same statements again and again. */
  readonly #tables = new Map<string, readonly string[]>();

  /** For `openDatabase({ onStatement })`. */
  note(connection: object, statement: string): void {
    const text = statement.trim().toLowerCase();
    if (/^(begin|start transaction)/.test(text)) this.#open.set(connection, []);
    else if (/^(commit|rollback)/.test(text)) this.#open.delete(connection);
    else {
      const locks = this.#open.get(connection) ?? [];
      for (const table of this.#tablesOf(text)) this.#take(locks, { table, statement });
    }
  }

  #tablesOf(text: string): readonly string[] {
    const known = this.#tables.get(text);
    if (known) return known;
    const tables = tablesLockedBy(text);
    this.#tables.set(text, tables);
    return tables;
  }

  #take(locks: Lock[], lock: Lock): void {
    if (locks.some(({ table }) => table === lock.table)) return;
    const holdsMembership = locks.some(({ table }) => table === MEMBERSHIP);
    const first = locks.find(({ table }) => isInversion(table, lock.table, holdsMembership));
    if (first)
      this.inversions.add(`${lock.table} after ${first.table}\n  ${first.statement}\n  ${lock.statement}`);
    locks.push(lock);
  }
}

const NAME = '"?([a-z_]+)"?';
const WRITES = new RegExp(
  `\\bupdate (?:only )?${NAME}(?= |$)(?! skip| nowait)|\\bdelete from ${NAME}|\\binsert into ${NAME}(?=[^;]*? do update)`,
  'g',
);

/** Rows that a statement writes, or selects for update, by table; an insert alone waits for nobody. */
export function tablesLockedBy(statement: string): string[] {
  const text = statement.toLowerCase().replaceAll(/\s+/g, ' ');
  const written = [...text.matchAll(WRITES)].flatMap(([, updated, deleted, inserted]) => {
    const table = updated ?? deleted ?? inserted;
    return table === undefined || !isKnown(table) ? [] : [table];
  });
  return [...selectedForUpdate(text), ...written];
}

function selectedForUpdate(text: string): string[] {
  const [, of] = new RegExp(`\\bfor (?:no key )?update(?: of ${NAME})?`).exec(text) ?? [undefined];
  if (!/\bfor (no key )?update\b/.test(text)) return [];
  const tables = [...text.matchAll(new RegExp(`\\b(?:from|join) ${NAME}(?: (?:as )?${NAME})?`, 'g'))];
  const named =
    of === undefined ? tables[0] : tables.find(([, table, alias]) => alias === of || table === of);
  return named?.[1] === undefined || !isKnown(named[1]) ? [] : [named[1]];
}

import { dotAt } from '../rules/vectors.ts';

export interface ShardRow {
  readonly documentId: number;
  readonly seq: number;
  readonly projectId: string | null;
  readonly createdAt: number;
}

/** What of a shard may be seen. */
export interface ShardSight {
  /** undefined: every project; null: what is general only. */
  readonly projectId: string | null | undefined;
  readonly asOf: number | null;
}

const BLOCK_BYTES = 2 ** 20;
/** Of the first block, which grows up to the others: most agents have few vectors. */
const FIRST_ROWS = 16;

export function bytesOfVector(dimensions: number): number {
  return dimensions * Float32Array.BYTES_PER_ELEMENT;
}

/** The vectors of one agent, of the same length each. */
export class Shard {
  readonly dimensions: number;
  readonly #rows: ShardRow[] = [];
  readonly #placeOf = new Map<number, number>();
  /** Blocks, because one array would have to be copied whenever it grows. */
  readonly #blocks: Float32Array[] = [];
  readonly #blockRows: number;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#blockRows = Math.max(FIRST_ROWS, Math.floor(BLOCK_BYTES / bytesOfVector(dimensions)));
  }

  get size(): number {
    return this.#rows.length;
  }

  get bytes(): number {
    return this.#blocks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  seqOf(documentId: number): number | undefined {
    return this.#rows[this.#placeOf.get(documentId) ?? -1]?.seq;
  }

  /** In place of what it had of this document. */
  put(row: ShardRow, vector: Float32Array): void {
    const place = this.#placeOf.get(row.documentId) ?? this.#rows.length;
    this.#makeRoom(place);
    this.#rows[place] = row;
    this.#placeOf.set(row.documentId, place);
    this.#blockOf(place).set(vector, this.#offsetOf(place));
  }

  remove(documentId: number): void {
    const place = this.#placeOf.get(documentId);
    if (place === undefined) return;
    const last = this.#rows.pop();
    this.#placeOf.delete(documentId);
    const lastPlace = this.#rows.length;
    if (last !== undefined && place < lastPlace) {
      const from = this.#offsetOf(lastPlace);
      const moved = this.#blockOf(lastPlace).subarray(from, from + this.dimensions);
      this.#blockOf(place).set(moved, this.#offsetOf(place));
      this.#rows[place] = last;
      this.#placeOf.set(last.documentId, place);
    }
    if (lastPlace <= (this.#blocks.length - 1) * this.#blockRows) this.#blocks.pop();
  }

  /** The documents that may be seen and are the nearest, the nearest first; equals by their id. */
  nearest(query: Float32Array, sight: ShardSight, limit: number): number[] {
    const best: { documentId: number; similarity: number }[] = [];
    let least = Number.NEGATIVE_INFINITY;
    this.#rows.forEach((row, place) => {
      if (!isSeen(row, sight)) return;
      const similarity = dotAt(query, this.#blockOf(place), this.#offsetOf(place));
      if (similarity < least) return;
      best.push({ documentId: row.documentId, similarity });
      // Sorted in portions: to find the place of each would cost more.
      if (best.length >= 2 * limit) {
        sort(best).length = limit;
        least = best.at(-1)?.similarity ?? least;
      }
    });
    return sort(best)
      .slice(0, limit)
      .map(({ documentId }) => documentId);
  }

  #makeRoom(place: number): void {
    const [first] = this.#blocks;
    if (first && place < this.#blockRows) {
      const rows = first.length / this.dimensions;
      if (place < rows) return;
      const larger = new Float32Array(Math.min(2 * rows, this.#blockRows) * this.dimensions);
      larger.set(first);
      this.#blocks[0] = larger;
    } else if (place === this.#blocks.length * this.#blockRows)
      this.#blocks.push(new Float32Array((first ? this.#blockRows : FIRST_ROWS) * this.dimensions));
  }

  #blockOf(place: number): Float32Array {
    const block = this.#blocks[Math.floor(place / this.#blockRows)];
    if (!block) throw new RangeError(`no row ${place}`);
    return block;
  }

  #offsetOf(place: number): number {
    return (place % this.#blockRows) * this.dimensions;
  }
}

function isSeen({ projectId, createdAt }: ShardRow, sight: ShardSight): boolean {
  if (sight.asOf !== null && createdAt > sight.asOf) return false;
  return sight.projectId === undefined || projectId === null || projectId === sight.projectId;
}

function sort<T extends { documentId: number; similarity: number }>(found: T[]): T[] {
  return found.sort((a, b) => b.similarity - a.similarity || b.documentId - a.documentId);
}

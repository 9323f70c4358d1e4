import type { Socket } from 'node:net';

/** Of one connection. A client that sends more before it is answered is none of ours. */
const MAX_WAITING = 16;

/**
 * The requests of a connection one after the other, as they are answered: so a run has no more connections to hosts than
 * to us. Returns false, and does nothing, when too many wait.
 */
export function inTurn(): (socket: Socket, work: () => Promise<unknown>) => boolean {
  const turns = new WeakMap<Socket, { waiting: number; last: Promise<unknown> }>();
  return (socket, work) => {
    const turn = turns.get(socket) ?? { waiting: 0, last: Promise.resolve() };
    if (turn.waiting >= MAX_WAITING) return false;
    turn.waiting += 1;
    turn.last = turn.last
      .then(work)
      .catch(() => socket.destroy())
      .finally(() => {
        turn.waiting -= 1;
      });
    turns.set(socket, turn);
    return true;
  };
}

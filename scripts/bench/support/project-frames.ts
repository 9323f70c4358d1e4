import { once } from 'node:events';
import { WS_PATH } from '@aizuchi/shared/contract/ws';

export interface FollowedProject {
  readonly webUrl: string;
  readonly token: string;
  readonly projectId: string;
}

/** A WebSocket that follows one project. `onFrame` is given each frame and the moment at which it arrived. */
export async function followProject(
  { webUrl, token, projectId }: FollowedProject,
  onFrame: (frame: unknown, at: number) => void,
): Promise<WebSocket> {
  const socket = new WebSocket(webUrl.replace(/^http/, 'ws') + WS_PATH, {
    headers: { authorization: `Bearer ${token}` },
  });
  socket.addEventListener('message', ({ data }) => {
    const at = performance.now();
    onFrame(JSON.parse(String(data)), at);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error('The WebSocket was refused.')));
  });
  socket.send(JSON.stringify({ type: 'subscribe', projectId }));
  await once(socket, 'message');
  return socket;
}

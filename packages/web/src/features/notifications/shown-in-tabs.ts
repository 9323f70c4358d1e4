import { isCardInView } from '../questions/visible-cards.ts';

/** Another tab of this browser in which the card is in view responds within this time. */
const ANSWER_WITHIN_MS = 150;
const CHANNEL = 'aizuchi.seen';

interface ShownRequest {
  readonly asks: string;
}
interface ShownResponse {
  readonly seen: string;
}

/** Responds to the requests of other tabs. */
export function answerOtherTabs(): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<ShownRequest | ShownResponse>) => {
    if ('asks' in data && isCardInView(data.asks))
      channel.postMessage({ seen: data.asks } satisfies ShownResponse);
  };
  return () => channel.close();
}

/** Whether the card is in view, in this tab or in another one. */
export function isShownInAnyTab(toolUseId: string): Promise<boolean> {
  if (isCardInView(toolUseId)) return Promise.resolve(true);
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    const end = (isSeen: boolean) => {
      clearTimeout(timer);
      channel.close();
      resolve(isSeen);
    };
    const timer = setTimeout(() => end(false), ANSWER_WITHIN_MS);
    channel.onmessage = ({ data }: MessageEvent<ShownRequest | ShownResponse>) => {
      if ('seen' in data && data.seen === toolUseId) end(true);
    };
    channel.postMessage({ asks: toolUseId } satisfies ShownRequest);
  });
}

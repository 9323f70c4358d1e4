import { isCardInView } from '../questions/visible-cards.ts';

/** Another tab of this browser that has the card in front of a person answers within this. */
const ANSWER_WITHIN_MS = 150;
const CHANNEL = 'aizuchi.seen';

interface ShownRequest {
  readonly asks: string;
}
interface ShownResponse {
  readonly seen: string;
}

/** Answers the other tabs. */
export function answerOtherTabs(): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<ShownRequest | ShownResponse>) => {
    if ('asks' in data && isCardInView(data.asks))
      channel.postMessage({ seen: data.asks } satisfies ShownResponse);
  };
  return () => channel.close();
}

/** Whether a person has the card before him, in this tab or another one. */
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

/** What an agent asks the person of this page to show it. */
export interface CaptureRequest {
  readonly id: string;
  readonly source: string;
}

/** The requests after an event of the stream; what is no event of ours changes nothing. */
export function afterEvent(open: readonly CaptureRequest[], text: string): readonly CaptureRequest[] {
  const event = eventIn(text);
  const id = event?.data?.request_id;
  if (typeof id !== 'string') return open;
  const others = open.filter((one) => one.id !== id);
  if (event?.type === 'vision.capture_resolved') return others;
  const source = event?.data?.source;
  if (event?.type !== 'vision.capture_request' || typeof source !== 'string') return open;
  return others.length < open.length ? open : [...open, { id, source }];
}

interface LooseEvent {
  readonly type?: unknown;
  readonly data?: { readonly request_id?: unknown; readonly source?: unknown } | null;
}

function eventIn(text: string): LooseEvent | null | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

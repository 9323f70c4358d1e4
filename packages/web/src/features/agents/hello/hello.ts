import type { AgentSessionView, Message } from '@aizuchi/shared/contract/chat';

/** The steps of a test message, in their order. */
export const HELLO_STEPS = ['place', 'process', 'sign_in', 'delivered', 'first_text', 'answered'] as const;
export type HelloStep = (typeof HELLO_STEPS)[number];

/** What stopped the test. */
export type HelloFault =
  | { readonly kind: 'refused'; readonly error: unknown }
  | { readonly kind: 'sign_in_refused' }
  /** The test message failed. */
  | { readonly kind: 'failed'; readonly message: Message }
  /** What the system says in the chat about it. */
  | { readonly kind: 'system'; readonly message: Message };

export interface Hello {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** What the agent is asked to say, in the language of the test message. */
  readonly word: string;
  /** The clock time of each step that was reached; null: it was over before it was seen. */
  readonly reached: Readonly<Partial<Record<HelloStep, number | null>>>;
  /** The agent was signed in when the test began. */
  readonly isWarm: boolean;
  /** The test message, once it is stored. */
  readonly sent: Message | undefined;
  readonly answer: Message | undefined;
  readonly fault: (HelloFault & { readonly at: number }) | undefined;
}

export type HelloEvent =
  | { readonly type: 'sent'; readonly message: Message }
  | { readonly type: 'refused'; readonly error: unknown }
  | { readonly type: 'session'; readonly session: AgentSessionView }
  /** A piece of an answer. */
  | { readonly type: 'text' }
  /** Any message of the chat. */
  | { readonly type: 'message'; readonly message: Message };

export function newHello(startedAt: number, word: string, session: AgentSessionView | undefined): Hello {
  const isWarm = (session?.chat ?? 0) > 0;
  return {
    startedAt,
    word,
    reached: isWarm ? { place: null, process: null, sign_in: null } : {},
    isWarm,
    sent: undefined,
    answer: undefined,
    fault: undefined,
  };
}

/** What the test knows after an event; the same event again changes nothing. */
export function heard(hello: Hello, event: HelloEvent, at: number): Hello {
  if (isOver(hello) && event.type !== 'message') return hello;
  switch (event.type) {
    case 'refused':
      return { ...hello, fault: { kind: 'refused', error: event.error, at } };
    case 'sent':
      return heardMessage({ ...hello, sent: event.message }, event.message, at);
    case 'text':
      return hello.sent ? reach(hello, 'first_text', at) : hello;
    case 'session':
      return heardSession(hello, event.session, at);
    case 'message':
      return heardMessage(hello, event.message, at);
  }
}

export function isOver({ reached, fault }: Hello): boolean {
  // A refused sign-in may be followed by another one.
  return reached.answered !== undefined || (fault !== undefined && fault.kind !== 'sign_in_refused');
}

function heardSession(hello: Hello, session: AgentSessionView, at: number): Hello {
  switch (session.chatStatus) {
    case 'queued':
      // It does so after a start that failed, and that had a place.
      return session.reason === 'cooling_down' && hello.sent ? reach(hello, 'place', at) : hello;
    case 'starting':
      return heardStart(hello, session.phase, at);
    case 'ready':
    case 'busy':
    case 'waiting_for_person':
      return reach(hello, 'sign_in', at);
    case 'failed':
      // A failure before the test is no failure of the test; only a start that is still tried says so.
      if (session.reason !== 'sign_in_refused' || !hello.sent) return hello;
      return { ...reach(hello, 'process', at), fault: hello.fault ?? { kind: 'sign_in_refused', at } };
    default:
      return hello;
  }
}

function heardStart(hello: Hello, phase: AgentSessionView['phase'], at: number): Hello {
  switch (phase) {
    case 'picked_up':
    case 'pulling':
      return reach(hello, 'place', at);
    case 'trying_again':
      return hello.sent ? reach(hello, 'place', at) : hello;
    case 'sign_in':
      return reach(hello, 'process', at);
    default:
      return hello;
  }
}

/** What the system also says in a chat. */
const IS_NO_FAULT = /^(session_started|schedule_.*)$/;

/** What a start had reached of which the system says so: it may be the first that is heard of it. */
const REACHED_BEFORE: Readonly<Record<string, readonly HelloStep[]>> = {
  could_not_start: ['place'],
  agent_never_signed_in: ['place', 'process'],
  agent_gave_up: ['place', 'process'],
  agent_left_unanswered: ['place', 'process', 'sign_in'],
};

function heardMessage(hello: Hello, message: Message, at: number): Hello {
  const { sent } = hello;
  if (!sent) return hello;
  if (message.id === sent.id) return heardOwn(hello, message, at);
  if (message.seq <= sent.seq || message.conversationId !== undefined) return hello;
  if (message.sender === 'agent' && !hello.answer)
    return { ...reach(hello, 'answered', at), answer: message };
  const isFault = message.sender === 'system' && !hello.answer && hello.fault?.kind !== 'system';
  const code = message.system?.code ?? '';
  if (!isFault || IS_NO_FAULT.test(code)) return hello;
  const reached = Object.fromEntries((REACHED_BEFORE[code] ?? []).map((step) => [step, null]));
  return {
    ...hello,
    reached: { ...reached, ...hello.reached },
    fault: { kind: 'system', message, at: hello.fault?.at ?? at },
  };
}

function heardOwn(hello: Hello, message: Message, at: number): Hello {
  const known = { ...hello, sent: message };
  switch (message.state) {
    case 'stored':
      return hello.sent?.state === 'stored' ? hello : known;
    case 'delivered':
      return hello.reached.delivered === undefined ? reach(known, 'delivered', at) : hello;
    case 'answered':
      return hello.reached.answered === undefined ? reach(known, 'answered', at) : hello;
    case 'failed':
      return heardFailure(hello, message, at);
  }
}

function heardFailure(hello: Hello, message: Message, at: number): Hello {
  const { fault } = hello;
  // Only what was delivered has a turn. Where both changes were read at once, this is the first that is heard of it.
  const known = message.failure?.code === 'turn_failed' ? reach(hello, 'delivered', at) : hello;
  if (fault && fault.kind !== 'sign_in_refused') return known === hello ? hello : { ...known, fault };
  return { ...known, sent: message, fault: { kind: 'failed', message, at } };
}

/** The steps before it are over, too, but when is not known. */
function reach(hello: Hello, step: HelloStep, at: number): Hello {
  if (hello.reached[step] !== undefined) return hello;
  const reached = { ...hello.reached };
  for (const before of HELLO_STEPS.slice(0, HELLO_STEPS.indexOf(step))) reached[before] ??= null;
  return { ...hello, reached: { ...reached, [step]: at }, fault: undefined };
}

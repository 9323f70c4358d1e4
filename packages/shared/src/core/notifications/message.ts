import type { Question } from '../../contract/question.ts';
import { questionFor } from '../../platform/texts/conversation-texts.ts';
import type { Locale } from '../../platform/texts/locale.ts';
import { notificationTexts } from '../../platform/texts/notification-texts.ts';
import type { InboxEntry, WaitingItem } from '../inbox/rules/inbox-entries.ts';
import { type Category, categoryOf } from './rules/categories.ts';

/** What a channel is given. */
export interface NotificationMessage {
  /** The same in every attempt: a receiver can recognise what it has got already. */
  readonly id: string;
  readonly category: Category | 'several' | 'test';
  readonly title: string;
  readonly body: string;
  /** The address within the page. */
  readonly path: string;
  readonly locale: Locale;
  /** How many rows the inbox has. */
  readonly badge: number;
  readonly project?: { readonly id: string; readonly name: string };
  readonly agent?: { readonly id: string; readonly name: string };
  /** A card with one question that takes one of its options. */
  readonly question?: { readonly toolUseId: string; readonly options: readonly string[] };
}

interface Reader {
  readonly locale: Locale;
  readonly timeZone: string;
  readonly hidesText: boolean;
}

interface Known {
  readonly names: ReadonlyMap<string, string>;
  readonly questions: ReadonlyMap<string, Question>;
}

const MAX_BODY = 300;
const MAX_LINES = 3;

/** The message about these rows of the inbox, of which there is at least one. */
export function messageOf(
  id: string,
  entries: readonly InboxEntry[],
  badge: number,
  reader: Reader,
  known: Known,
): NotificationMessage {
  const [first] = entries;
  if (!first) throw new Error('a message about nothing');
  const one = entries.length === 1 ? first.item : undefined;
  return one ? aboutOne(id, one, badge, reader, known) : aboutSeveral(id, entries, badge, reader);
}

function aboutOne(
  id: string,
  item: WaitingItem,
  badge: number,
  reader: Reader,
  { names, questions }: Known,
): NotificationMessage {
  const { locale, hidesText } = reader;
  const texts = notificationTexts(locale);
  const category = categoryOf(item);
  const base = { id, category, badge, locale, path: pathOf(item) };
  // The id of an agent is its name in other letters, so the address of its chat is hidden as well.
  if (hidesText) return { ...base, path: '/inbox', title: texts.hidden[category], body: '' };
  const question = questions.get(item.refId);
  const project = { id: item.projectId, name: names.get(item.projectId) ?? item.projectId };
  const agent =
    item.agentId === undefined
      ? undefined
      : { id: item.agentId, name: names.get(item.agentId) ?? item.agentId };
  const choice = question && choiceOf(question, locale);
  return {
    ...base,
    title: item.title,
    body: [
      whoOf(category, agent?.name ?? '', locale),
      project.name,
      question?.expiresAt === undefined ? undefined : texts.until(clockTime(question.expiresAt, reader)),
    ]
      .filter((part) => part !== undefined && part !== '')
      .join(' · '),
    project,
    ...(agent && { agent }),
    ...(choice && { question: { toolUseId: item.refId, options: choice } }),
  };
}

function aboutSeveral(
  id: string,
  entries: readonly InboxEntry[],
  badge: number,
  { locale, hidesText }: Reader,
): NotificationMessage {
  const texts = notificationTexts(locale);
  const lines = entries
    .slice(0, MAX_LINES)
    .map(({ item }) => (hidesText ? texts.hidden[categoryOf(item)] : item.title));
  return {
    id,
    category: 'several',
    title: texts.several(entries.length),
    body: lines.join('\n').slice(0, MAX_BODY),
    path: '/inbox',
    locale,
    badge,
  };
}

export function testMessage(id: string, locale: Locale): NotificationMessage {
  const { testTitle: title, testBody: body } = notificationTexts(locale);
  return { id, category: 'test', title, body, path: '/settings/notifications', locale, badge: 0 };
}

function whoOf(category: Category, agent: string, locale: Locale): string {
  const texts = notificationTexts(locale);
  if (category === 'question') return texts.asks(agent);
  if (category === 'approval') return texts.asksToBeAllowed(agent);
  return texts.hidden[category];
}

/** The options of a card that can be answered with one of them. */
function choiceOf({ questions }: Question, locale: Locale): readonly string[] | undefined {
  const [only] = questions;
  if (questions.length !== 1 || !only || only.multiSelect) return undefined;
  return questionFor(locale, only).options.map(({ label }) => label);
}

function pathOf({ kind, projectId, agentId, refId, taskId }: WaitingItem): string {
  const search = new URLSearchParams();
  if (taskId !== undefined) search.set('task', taskId);
  else if (kind === 'review' || kind === 'proposal' || kind === 'blocked_task') search.set('task', refId);
  else if (agentId !== undefined) search.set('agent', agentId);
  if (kind === 'question' || kind === 'approval') search.set(kind, refId);
  if (kind === 'mention') search.set(taskId === undefined ? 'message' : 'comment', refId);
  return `/projects/${encodeURIComponent(projectId)}?${search}`;
}

function clockTime(at: string, { locale, timeZone }: Reader): string {
  return new Intl.DateTimeFormat(locale, {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(new Date(at));
}

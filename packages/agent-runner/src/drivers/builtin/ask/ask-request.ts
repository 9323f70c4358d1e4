import { type Language, languageOf } from '../../../language.ts';
import { excerptOf } from '../excerpt.ts';

/** What a person wants to be asked. */
export interface AskRequest {
  /** What it is about, in the person's words; empty when only options were named. */
  readonly subject: string;
  /** None: yes or no. */
  readonly options: readonly string[];
  readonly multiSelect: boolean;
  readonly language: Language;
}

const ASK_JA = [
  /(?:私|わたし|僕|ぼく|俺|こちら|自分)に.{0,30}(?:質問|聞い|きい|尋ね|訊い)(?:して|て|き)(?!もいい|もよ|いい|い[るま]|る|た|ま[すし])/,
  /選択肢で.{0,12}(?:質問|聞い|きい|尋ね|訊い)/,
  /(?:どちら|どっち|どれ|か)(?:、)?(?:質問して|聞いて|きいて|尋ねて|訊いて)(?!もいい|もよ|い|る|た|ま[すし])/,
];
const ME_JA = /(?:私|わたし|僕|ぼく|俺|こちら|自分)に/;
const SOMEBODY_JA = /^[^、。]{1,10}(?:さん|くん|君|ちゃん|先生)に(?!する|頼|お願)/;
/** Whoever says this leaves open what to ask, or only asks for it where it is needed. */
const NO_SUBJECT =
  /^(?:何|なに)(?:か)?$|(?:あれば|あったら|なら|たら)$|^(?:a |any |some )?questions?$|^something$|^(?:if|when(?:ever)?)\b.*\b(?:anything|something|questions|unclear|unsure)\b|^(?:if|when) (?:needed|necessary)$/i;
const ASK_EN = /\bask me\b(?! (?:later|again|anything|tomorrow))/i;

const ADDRESS_JA = /(?:私|わたし|僕|ぼく|俺|こちら|自分)に[、\s]*|選択肢(?:で|から|として)[、\s]*/g;

const LONGEST_OPTION = 40;
const LONGEST_SUBJECT = 80;
const MULTI =
  /複数|いくつでも|すべて選|全部選|\ball that apply\b|\bany of\b|\bone or more\b|\bseveral\b|\bmultiple\b/i;

/** Undefined: the text does not ask for a question, or does not say what about. */
export function askRequestOf(text: string): AskRequest | undefined {
  const request = requestIn(text);
  if (!request) return undefined;
  const hasSubject = request.subject !== '' && !NO_SUBJECT.test(request.subject);
  return hasSubject || request.options.length > 1 ? request : undefined;
}

function requestIn(text: string): AskRequest | undefined {
  const normal = text.normalize('NFKC').replace(/\s+/g, ' ').trim();
  const multiSelect = MULTI.test(normal);
  const asksOthers = SOMEBODY_JA.test(normal) && !ME_JA.test(normal) && !/選択肢/.test(normal);
  if (!asksOthers && ASK_JA.some((pattern) => pattern.test(normal))) {
    return { ...readJapanese(normal), multiSelect, language: 'ja' };
  }
  if (!ASK_EN.test(normal)) return undefined;
  return { ...readEnglish(normal), multiSelect, language: languageOf(normal) ?? 'en' };
}

interface Parts {
  readonly subject: string;
  readonly options: readonly string[];
}

function readJapanese(text: string): Parts {
  const quoted = [...text.matchAll(/[「『"“]([^「」『』"“”]+)[」』"”]/g)].map((match) => match[1] ?? '');
  if (quoted.length >= 2) return { subject: '', options: tidy(quoted) };
  const listed = LISTED_AFTER.exec(text);
  const after = splitOptions(listed?.groups?.list ?? '');
  if (listed && after.length >= 2)
    return { subject: readWish(text.slice(0, listed.index + 1)).subject, options: after };
  return readWish(text);
}

/** 「どの色がいいか私に聞いて：赤、青」: the options come last. The match begins with the verb's last character. */
const LISTED_AFTER = /[てき](?:下さい|ください|ほしい|くれる|ね)?[。、\s]*:\s*(?<list>.+)$/;

/** What stands before "ask me": what it is about, and the options when they are named there. */
function readWish(text: string): Parts {
  const asked = text
    .replace(ADDRESS_JA, '')
    .replace(/[^。！!]*[。！!](?=.)/g, '')
    .replace(/[、\s]*(?:質問|聞い|きい|尋ね|訊い)(?:して|て|き).*$/, '')
    .replace(/[、\s]*(?:複数|いくつでも).*$/, '')
    .replace(/かどうか.*$/, '')
    .replace(/(?:か|(?<![こひ])と)?[をに]?[、\s]*$/, '');
  const which = /^(.*?)(?:の(?:うち|中|なか))?(?:から|で|の)?(?:どちら|どっち|どれ).*$/.exec(asked)?.[1];
  const [head = '', tail] = splitTopic((which ?? asked).replace(/(?:の|から|で)$/, ''));
  const options = splitOptions(tail ?? head);
  if (options.length >= 2) {
    return { subject: tail === undefined ? '' : excerptOf(head, LONGEST_SUBJECT), options };
  }
  return { subject: excerptOf(asked, LONGEST_SUBJECT), options: [] };
}

/** By commas and words of choice if there are any: か and と may be parts of a word. */
function splitOptions(text: string): string[] {
  const clear = text.split(/、|,|・|\/|それとも|または|もしくは/);
  if (clear.length > 1) return tidy(clear.map((part) => part.replace(/(?<=.)[かと]$/, '')));
  for (const mark of [/(?<=.)と(?=.)/, /(?<=.)か(?=.)/, /(?<=.)[かと](?=.)/]) {
    const parts = text.split(mark);
    if (parts.length > 1 && !parts.some((part) => /^[ぁ-ゖー]?$/.test(part))) return tidy(parts);
  }
  return [text];
}

/** 「お昼ごはんは、そばかうどんか」: what it is about stands before は and its comma. */
function splitTopic(text: string): [string, string?] {
  const match = /^(.{1,30}?)は[、\s]+(.+)$/.exec(text);
  return match ? [match[1] ?? '', match[2] ?? ''] : [text];
}

function readEnglish(text: string): Parts {
  const asked = (/\bask me\b[\s:,]*(.*)$/i.exec(text)?.[1] ?? '')
    .replace(/[.?!]+$/, '')
    .replace(/,? please$/i, '')
    .replace(/\s+or not\b/i, '')
    .trim();
  const list = asked
    .replace(/^(?:a question|to (?:choose|pick|decide|select))\b\s*/i, '')
    .replace(/^(?:whether|if|which(?: one)?|what)\b\s*/i, '')
    .replace(
      /^(?:it (?:should|shall) be|(?:i|we) (?:want|prefer|would like|need|should (?:use|take|have))|to (?:use|take|have))\s+/i,
      '',
    )
    .replace(/^(?:of|from|between|among|one of)\s+/i, '')
    .replace(/^[:\s]+/, '');
  const topic = /^(.{1,60}?):\s*(.+)$/.exec(list);
  const options = tidy(
    (topic?.[2] ?? list).split(/\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+(?=\S+$)|\s*\/\s*/i),
  );
  const isList = options.length >= 2 && /,|\bor\b|\/|\bbetween\b|\bfrom\b|\bof\b|:/i.test(asked);
  if (isList) return { subject: excerptOf(topic?.[1] ?? '', LONGEST_SUBJECT), options };
  return { subject: excerptOf(asked, LONGEST_SUBJECT), options: [] };
}

function tidy(parts: readonly string[]): string[] {
  const whole = parts
    .map((part) => part.replace(/^(?:whether|either)\s+/i, '').replace(/^[\s"'「『]+|[\s"'」』。]+$/g, ''))
    .filter((part) => part !== '')
    .map((part) => excerptOf(part, LONGEST_OPTION));
  return [...new Set(whole)];
}

import { type Language, languageOf } from '../../../language.ts';

/** What a person wants of the memory. */
export type MemoryRequest =
  | { readonly kind: 'recall'; readonly topic: string; readonly language: Language }
  | { readonly kind: 'remember'; readonly text: string; readonly language: Language };

/** 「駅前」 is a place, 「名前」 no time; 「二年前」 is one. */
const BEFORE_JA =
  '(?:以前|(?<!お|(?![年月週日間])\\p{Script=Han})前|(?<![おな])まえ|この間|昨日|先日|昔|さっき)';

/** The part that is asked for, or to be remembered, is the group `what`. In this order. */
const RECALL: readonly RegExp[] = [
  new RegExp(
    `${BEFORE_JA}(?:に|は)?、?(?<what>.+?)(?:について|に関して|のこと(?:で|を|は)?)(?:は|、|何か|なにか)*(?:何|なん|なに|どう)?(?:て|って|と|を|か)*(?:言|い|話|教え|伝え)(?:っ|し|った|いま|え)`,
    'iu',
  ),
  /^(?<what>.+?)(?:について|に関して|のこと(?:で|を|は)?|の件(?:で|は)?)(?:は|、)*(?:(?:前|以前|まえ|この間|昨日|先日|昔|さっき)(?:に|は|の)?、?)?(?:(?:私|わたし|僕|ぼく|俺|君|きみ|あなた|誰か)(?:は|が)?、?)?(?:何|なん|なに|どう)(?:て|って|と|を|か)*(?:言|い|話|教え|伝え)/i,
  /^(?<what>.+?)(?:の(?:件|こと|話)|について)?(?:は|を|って|、|も)*(?:まだ)?(?:覚え|おぼえ)て(?:い|る|ま|な)(?!て|と).*$/i,
  /^(?<what>.+?)(?:の(?:件|こと|話)|について)?(?:は|を|って|、)*思い出せ/i,
  /^(?<what>.+?)(?:は|って|、)*(?:何|なん|なに|いつ|どこ|だれ|誰|どれ)(?:だった|だ|でした)っけ/i,
  /\bwhat (?:did|have|had) (?:i|we|you|he|she|they) (?:ever )?(?:tell|told|say|said|mention|mentioned|write|written|decide|decided|agree|agreed|discuss|discussed|talk|talked)\b(?: to)?(?: you| me| us)?(?: before| earlier| last time)?(?: about| on| regarding| concerning)? (?<what>.+)$/i,
  /\b(?:do|can|could|did) you (?:still )?(?:remember|recall)\b(?: anything| something| what (?:i|we) (?:said|told you|decided|agreed))?(?: about| on| regarding)? (?<what>.+)$/i,
  /\bwhat do you (?:remember|recall|still know)\b(?: about| of| on)? (?<what>.+)$/i,
  /^(?:and )?remember (?:when|how|what|the time) (?<what>.+)\?$/i,
];

/** The wish comes first, then what is to be remembered. */
const REMEMBER_THIS: readonly RegExp[] = [
  /^(?:これ|次のこと|以下)?[を、]?(?:(?:覚え|おぼえ)て(?:おいて|いて|て)?|(?:記憶|メモ)して(?:おいて)?)(?:ください|下さい|ほしい|くれ|ね)?[\s。]?[:、。\s](?<what>.+)$/is,
  /^(?:(?:please|and|also|hey|hi|ok|okay|so)\b,? ){0,3}(?:i(?:'d| would)? (?:want|like|need) you to )?(?:remember|memori[sz]e|keep in mind|(?:do not|don't) forget|make a note)\b(?: this| the following)?(?:,? please)?(?: that|:| ,|,)? ?(?<= |:)(?!(?:me|us|when|how|what|who|where|if|whether)\b)(?<what>(?:[^?]|\?(?=\S))+)$/is,
  // "Can you remember that day?" asks what is known.
  /^(?:(?:please|and|also|hey|hi|ok|okay|so)\b,? ){0,3}(?:can|could|would|will) you (?:please )?(?:remember|memori[sz]e|keep in mind|make a note)(?: this| the following)?(?: that (?=(?:i|we|you|he|she|it|they|my|our|your|the|there)\b|\S+ (?:is|are|has|have|was|were)\b)|: ?)(?<what>(?:[^?]|\?(?=\S))+)\??$/is,
];
/** In Japanese it comes after that. */
const REMEMBER_JA =
  /(?:覚え|おぼえ)て(?!(?:いて|おいて)?くれ(?:て(?!も)|た(?!ら)))(?:おいて|おけ|て|いて|ね|よ|ください|下さい|くれ|ほしい|欲しい|$|[。!])|(?:覚え|おぼえ)とい?て|(?:記憶|メモ)して(?:おいて|ください|下さい|ね|$|[。!])|忘れないで/;
const BEFORE_IT = ['ということを', 'ことを', 'のを', 'って', 'と', 'は', 'を'];

/** A longer text tells something. */
const LONGEST_QUESTION = 300;

const ADDRESS = /^(?:あの(?:ね)?|えっと|ねえ|すみません|ところで|by the way|hey|hi|hello|please)[、,\s]+/i;
/** A time alone names no topic. */
const NOTHING =
  /^(?:これ|それ|あれ|こと|何|昨日|今日|先日|この間|先週|先月|it|that|this|me|us|you|to|anything|something|today|yesterday|before|earlier|last (?:time|night|week|month|year))?$/i;

/** Undefined: it is about something else. */
export function memoryRequestOf(text: string): MemoryRequest | undefined {
  const normal = text
    .normalize('NFKC')
    .replace(/[’‘]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .replace(ADDRESS, '');
  const language = languageOf(normal);
  if (language === undefined) return undefined;
  const wanted = tidy(firstMatch(REMEMBER_THIS, normal) ?? beforeWish(normal));
  if (wanted !== undefined) return { kind: 'remember', text: wanted, language };
  if (normal.length > LONGEST_QUESTION) return undefined;
  const topic = tidy(firstMatch(RECALL, normal)?.replace(/[??。.!!]+$/, ''));
  return topic === undefined ? undefined : { kind: 'recall', topic, language };
}

function beforeWish(text: string): string | undefined {
  const wish = REMEMBER_JA.exec(text);
  if (!wish) return undefined;
  const before = trimEnd(text.slice(0, wish.index));
  const particle = BEFORE_IT.find((one) => before.endsWith(one) && !/[こひ]と$/.test(before)) ?? '';
  return trimEnd(before.slice(0, before.length - particle.length));
}

/** By hand: an expression for the end of a text looks at every run of such characters in it. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && '、。, '.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function firstMatch(patterns: readonly RegExp[], text: string): string | undefined {
  for (const pattern of patterns) {
    const what = pattern.exec(text)?.groups?.what;
    if (what !== undefined) return what;
  }
  return undefined;
}

function tidy(what: string | undefined): string | undefined {
  const bare = what?.replace(/^[\s、,:]+|[\s、,:]+$/g, '') ?? '';
  // In one pair of quotation marks; others are a part of it.
  const tidied = /^(?:「([^「」]*)」|『([^『』]*)』|"([^"]*)")$/.exec(bare)?.slice(1).join('') ?? bare;
  return NOTHING.test(tidied) ? undefined : tidied;
}

import { withoutCommand, withoutCorrection } from './command-words.ts';
import { isQuestion, normalised, sentencesOf, withoutEnd } from './sentences.ts';

/** What a sentence tells. */
export interface Claim {
  readonly kind: 'fact' | 'relation' | 'task';
  /** Of what it tells; the next one about the same replaces it. null: it replaces nothing. */
  readonly about: string | null;
  readonly value: string;
  readonly text: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const MOST = 20;
const LONGEST_VALUE = 120;

type Read = (groups: Record<string, string>) => Omit<Claim, 'text'> | null;

const fact = (about: string, value: string, payload: Record<string, unknown> = {}): Omit<Claim, 'text'> => ({
  kind: 'fact',
  about: normalised(about),
  value: normalised(value),
  payload: { attribute: normalised(about), value, ...payload },
});
const liking = (subject: string, polarity: 'like' | 'dislike') =>
  fact(`like:${subject}`, polarity, { polarity, subject });

/** The first that fits is read. */
const PATTERNS: readonly (readonly [RegExp, Read])[] = [
  [/^(?:my name is|call me)\s+(?<x>\p{L}[^,;]{0,40})$/iu, ({ x = '' }) => fact('name', x)],
  [
    /^i(?:'m| am)? (?:now )?(?:live|lives|living) (?:now )?in\s+(?<x>[^,;]+)/iu,
    ({ x = '' }) => fact('home', place(x)),
  ],
  [
    /^i(?:'ve| have)? (?:just )?moved (?:from .{1,30} )?to\s+(?<x>[^,;]+)/iu,
    ({ x = '' }) => fact('home', place(x)),
  ],
  [/^i(?:'m| am)? (?:now )?work(?:ing)? (?:at|for)\s+(?<x>[^,;]+)/iu, ({ x = '' }) => fact('workplace', x)],
  [
    /^i(?:'ve| have)? (?:just )?(?:started|joined)(?: working| a (?:new )?job)?(?: at)?\s+(?<x>\p{Lu}[^,;]+)/u,
    ({ x = '' }) => fact('workplace', x),
  ],
  [/^(?:my birthday is|i was born)(?: on| in)?\s+(?<x>.+)/iu, ({ x = '' }) => fact('birthday', x)],
  [/^i(?:'m| am) allergic to\s+(?<x>.+)/iu, ({ x = '' }) => fact(`allergy:${x}`, 'yes', { allergy: x })],
  [
    /^i (?:really |just |absolutely )?(?:do not|don't|no longer) (?:really )?(?:like|love|enjoy)\s+(?<x>.+)/iu,
    ({ x = '' }) => liking(thing(x), 'dislike'),
  ],
  [
    /^i (?:really |absolutely )?(?:hate|dislike|can't stand|cannot stand)\s+(?<x>.+)/iu,
    ({ x = '' }) => liking(thing(x), 'dislike'),
  ],
  [
    /^i (?:really |also |absolutely )?(?:like|love|enjoy|adore|prefer)\s+(?<x>.+)/iu,
    ({ x = '' }) => liking(thing(x), 'like'),
  ],
  [
    /^(?:i|we) have (?:a|an|one|two|three)\s+(?<x>[\p{L} -]{2,30}?) (?:named|called)\s+(?<y>.+)/iu,
    ({ x = '', y = '' }) => fact(`name of ${x}`, y),
  ],
  [
    /^(?:my|our)\s+(?<x>[\p{L}][\p{L}\d' -]{1,40}?)\s+(?:is called|is named)\s+(?<y>.+)/iu,
    ({ x = '', y = '' }) => fact(`name of ${x}`, y),
  ],
  [
    /^(?:my|our|the)\s+(?<x>[\p{L}][\p{L}\d' -]{1,40}?)\s+(?:is|are|has|was)?\s*(?:now |been )?(?:moved|moves|changed|rescheduled|postponed|set) (?:to|in|on|for|at)\s+(?<y>.+)/iu,
    ({ x = '', y = '' }) => attribute(x, y),
  ],
  [
    /^(?:my|our)\s+(?<x>[\p{L}][\p{L}\d' -]{1,40}?)\s+(?:is|are)\s+(?:now\s+)?(?<y>.+)/iu,
    ({ x = '', y = '' }) => attribute(x, y),
  ],
  [
    /^the\s+(?<x>[\p{L}][\p{L}\d' -]{1,40}?)\s+(?:is|are)\s+(?:now\s+)?(?<y>(?:on|in|at|due|by|\d|\p{Lu}).*)/iu,
    ({ x = '', y = '' }) => attribute(x, y),
  ],
  [
    /^(?:(?:私|僕|俺|わたし|ぼく)の)?名前は(?<x>[^、。]{1,20}?)(?:です|だ|と(?:言|い)います)?$/u,
    ({ x = '' }) => fact('name', x),
  ],
  [
    /(?:^|[、はが])(?<x>[^、はがも]{1,20})に住んで(?:い)?(?:る|ます)/u,
    ({ x = '' }) => fact('home', place(x)),
  ],
  [
    /(?:^|[、はが])(?<x>[^、はがも]{1,20})(?:に|へ)引っ?越(?:した|しました|してき)/u,
    ({ x = '' }) => fact('home', place(x)),
  ],
  [
    /(?:^|[、はが])(?<x>[^、はがも]{1,24})(?:で働いて|に勤めて|に勤務して)(?:い)?(?:る|ます)/u,
    ({ x = '' }) => fact('workplace', x),
  ],
  [/(?:^|[、はが])(?<x>[^、はがも]{1,24})に転職し(?:た|ました)/u, ({ x = '' }) => fact('workplace', x)],
  [/誕生日は(?<x>[^、。]{1,20}?)(?:です|だ|になります)?$/u, ({ x = '' }) => fact('birthday', x)],
  [
    /(?:^|[、は])(?<x>[^、はが]{1,16})アレルギー/u,
    ({ x = '' }) => fact(`allergy:${x}`, 'yes', { allergy: x }),
  ],
  [
    /好きな(?<x>[^、はが]{1,16})は(?<y>[^、。]{1,40}?)(?:です|だ|になりました|になった|に変わりました|に変わった)?(?:よ|ね)?$/u,
    ({ x = '', y = '' }) => fact(`好きな${x}`, y),
  ],
  [
    /(?:^|[、はも])(?<x>[^、はもが]{1,24})(?:が|は)(?:あまり|もう)?(?:好き(?:では|じゃ)(?:ない|なくな|ありません)|嫌い|きらい|苦手)/u,
    ({ x = '' }) => liking(x, 'dislike'),
  ],
  [
    /(?:^|[、はも])(?<x>[^、はもが]{1,24})が(?:とても|すごく|大)?(?:大)?好き/u,
    ({ x = '' }) => liking(x, 'like'),
  ],
  [
    /^(?:(?:私|僕|俺|うち|わたし|ぼく)の)?(?<x>[^、はがもを。]{2,20})は(?<y>[^、。]{1,40}?)(?:です|だ|になりました|になった|に変わりました|に変わった|に変更(?:です|しました|になりました)?)(?:よ|ね)?$/u,
    ({ x = '', y = '' }) => (PLAIN_JAPANESE.test(x) ? null : attribute(x, y)),
  ],
];
/** `これは…`, `今日は…` tell of the moment, not of something that lasts. */
const PLAIN_JAPANESE =
  /^(?:これ|それ|あれ|ここ|そこ|今日|昨日|明日|今|さっき|私|僕|俺|彼|彼女|みんな|何|誰|次|最近|天気|今週|今朝|今夜)/u;
const PLAIN_ENGLISH =
  /^(?:day|week|morning|evening|weather|question|point|thing|problem|answer|turn|guess|bad|fault|mistake|pleasure)$/iu;

function attribute(name: string, value: string): Omit<Claim, 'text'> | null {
  return PLAIN_ENGLISH.test(name.trim()) ? null : fact(name.replace(/の名前$/u, ''), value);
}

/** Without what is said of the time or the reason. */
function place(text: string): string {
  return text.replace(/\s+(?:now|since|because|for|with|last|this|when|and)\b.*$/iu, '').trim();
}

function thing(text: string): string {
  return text
    .replace(
      /\s+(?:very much|a lot|so much|more than|because|but|when|these days|anymore|any more)\b.*$/iu,
      '',
    )
    .trim();
}

const TASKS: readonly RegExp[] = [
  /^(?:please )?remind me to\s+(?<x>.+)/iu,
  /^i (?:still )?(?:need|have|must|ought)\s*(?:to)?\s+(?<x>.+\b(?:by|before|on|until|tomorrow|next|this)\b.*)/iu,
  /^(?:todo|to-do|task)\s*[:：]\s*(?<x>.+)/iu,
  /^(?:please )?don't let me forget to\s+(?<x>.+)/iu,
  /^(?<x>[^。]{2,80}?)(?:しなければ(?:ならない|いけない|なりません|いけません)|しなきゃ|しないといけ(?:ない|ません)|しないと)/u,
  /^(?<x>[^。]{2,80}?)(?:する|の|に行く)予定(?:です|だ|がある|があります)?/u,
  /^(?<x>[^。]{2,80}?)(?:を|のを|と)?(?:リマインド|思い出させて)/u,
];

/** What a person tells of itself and of what is to be done, one claim a sentence at most. */
export function claimsOf(text: string): Claim[] {
  const claims: Claim[] = [];
  for (const sentence of sentencesOf(withoutCommand(text))) {
    if (isQuestion(sentence)) continue;
    const claim = claimIn(sentence);
    if (claim) claims.push(claim);
    if (claims.length === MOST) break;
  }
  return claims;
}

function claimIn(sentence: string): Claim | null {
  const told = withoutCommand(sentence);
  const { text } = withoutCorrection(
    withoutEnd(told.replace(/^(?:by the way|fyi|and|but|also|so|ちなみに|あと|それと|そして)[,、\s]+/iu, '')),
  );
  for (const pattern of TASKS) {
    const { x } = pattern.exec(text)?.groups ?? {};
    if (x) return { kind: 'task', about: null, value: normalised(x), text: told, payload: { task: x } };
  }
  for (const [pattern, read] of PATTERNS) {
    const groups = pattern.exec(text)?.groups;
    const claim = groups && read(trimmedGroups(groups));
    if (claim && claim.value !== '' && claim.value.length <= LONGEST_VALUE)
      return { ...claim, text: withoutCorrection(told).text };
  }
  return null;
}

function trimmedGroups(groups: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([key, value]) => [key, (value ?? '').trim()]));
}

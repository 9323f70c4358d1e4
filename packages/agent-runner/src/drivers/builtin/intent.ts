/** What the built-in agent understands. */
export type Intent = 'progress' | 'capabilities' | 'identity' | 'greeting' | 'thanks' | 'unknown';

interface Pattern {
  readonly intent: Exclude<Intent, 'unknown'>;
  readonly any: readonly RegExp[];
}

const BOARD_EN = '(?:tasks?|board|work|project|things|everything|todos?|to-dos?)';
/** 「山田君」 is somebody else. */
const YOU_JA = '(?:あなた|貴方|きみ|そちら|(?<![\\p{Script=Han}\\p{Script=Katakana}])君)';
/** Without an owner it is the agent's name. 「名前はモモです」 says what a name is. */
const ASKS_NAME_JA =
  '名前(?:は|を) ?(?:[?。!…]|$|何|なん|なに|.{0,4}(?:教え|おしえ|聞か|伺|うかが|知りたい))';

/**
 * In this order, so that "Hello, how are the tasks going?" is a question and not a greeting, and
 * 「タスクについて何ができますか」 asks for abilities. Texts are normalised before: NFKC, lower case, single spaces.
 */
const PATTERNS: readonly Pattern[] = [
  {
    intent: 'capabilities',
    any: [
      /(?:何|なに)(?:が|を|か)?(?:できる|できます|出来|してくれ|お願いでき)/,
      /できること|使い方|ヘルプ|機能を?教え/,
      /\bwhat (?:can|could|do) you do\b|\bhow (?:can|could) you help\b|\bwhat are you able to\b/,
      /^help\b|\bhelp me\b|\byour (?:abilities|capabilities|features)\b|\bhow do i use you\b/,
    ],
  },
  {
    intent: 'progress',
    any: [
      /進捗|進み(?:具合|ぐあい)|進行状況|進んで(?:い|る|ま)|はかどって|捗って/,
      /(?:タスク|作業|仕事|ボード|プロジェクト|todo).{0,12}(?:状況|状態|様子|一覧|どう(?!す)|どんな|残っ|教えて|見せて|まとめ|何件|いくつ|ある|あり(?!が))/,
      /(?:進行中|ブロック|作業中|未着手|完了|残り|残って).{0,8}(?:タスク|作業|もの|件|は|ある|あり(?!が))/,
      /(?:今|いま|現在).{0,6}(?:状況|状態|何を?して)/,
      /誰が.{0,8}(?:何を|やって|して|担当)/,
      new RegExp(`\\bhow(?:'s| is| are)\\b.{0,20}\\b${BOARD_EN}\\b`),
      /\bhow(?:'s| is| are)\b.{0,20}\b(?:going|progressing|coming along)\b/,
      new RegExp(
        `\\b(?:status|progress|state|overview|summary|updates? (?:on|about))\\b.{0,20}\\b${BOARD_EN}\\b`,
      ),
      new RegExp(`\\b${BOARD_EN}\\b.{0,20}\\b(?:status|progress|state|overview|summary|update|list)\\b`),
      /\b(?:list|show|what|which|any|how many)\b.{0,24}\b(?:tasks?|todos?|to-dos?)\b/,
      /\b(?:what(?:'s| is)|who(?:'s| is)|anything)\b.{0,20}\b(?:in progress|blocked|working on|left|open|stuck)\b/,
      /\bwhat are you (?:doing|working on|up to)\b|\bwhat(?:'s| is) the (?:status|progress)\W*$/,
      /\b(?:show|what(?:'s| is) on)\b.{0,12}\bboard\b/,
      /^(?:any )?(?:progress|status|updates?)(?: report| update)?\W*$/,
      /\bprogress report\b|\bstatus (?:report|update)\b/,
    ],
  },
  {
    intent: 'identity',
    any: [
      new RegExp(`${YOU_JA}(?:は|って)?.{0,4}(?:誰|だれ|何者|どなた|何です)`, 'u'),
      /(?<![はがも])(?:誰|だれ|どなた|何者)(?:です|なの)|自己紹介/,
      new RegExp(`${YOU_JA}のお?${ASKS_NAME_JA}`, 'u'),
      new RegExp(`(?<!の|の[お御])${ASKS_NAME_JA}`),
      /\bwho are you\b|\bwhat are you\b|\byour name\b|\bintroduce yourself\b|\bare you (?:a|an) (?:ai|bot|robot|human|person)\b/,
    ],
  },
  {
    intent: 'thanks',
    any: [/ありがと|有難う|感謝|助かり|サンキュ/, /\bthanks?\b|\bthank you\b|\bthx\b|\bcheers\b/],
  },
  {
    intent: 'greeting',
    any: [
      /こんにち[はわ]|こんばん[はわ]|おはよ|はじめまして|初めまして|やあ|お疲れ|おつかれ|よろしく|もしもし/,
      /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|howdy|yo)\b/,
    ],
  },
];

/** What it asks for besides stands for the message: 「直してもらえると助かります」 is no thanks. */
const POLITE: ReadonlySet<Intent> = new Set(['thanks', 'greeting']);
const ASKS_FOR_WORK = [
  /(?<!休ん|仲良くし)[てで](?:ください|下さい|(?:もらえ|いただけ|頂け)(?![てた])|もらいたい|ほしい|欲しい|くれ(?![てた]|ま(?:し|せ)))/,
  /\b(?:can|could|would|will) you (?!hear|see)\b|\bplease (?!help\b)[a-z]{3}/,
];

const GREETS = PATTERNS.find((pattern) => pattern.intent === 'greeting')?.any ?? [];

export interface Recognised {
  readonly intent: Intent;
  /** It also says hello, which wants a hello back. */
  readonly greets: boolean;
}

/** What one message asks for. Pure; the table of phrasings in the test says what is understood. */
export function recognise(text: string): Recognised {
  const normal = normalise(text);
  const found = PATTERNS.find((pattern) => matches(normal, pattern.any))?.intent ?? 'unknown';
  const intent = POLITE.has(found) && matches(normal, ASKS_FOR_WORK) ? 'unknown' : found;
  return { intent, greets: matches(normal, GREETS) };
}

/** The one word that a connection test asks for, as it was written. */
export function askedWord(text: string): string | undefined {
  const [, en, ja] =
    /\bwith the one word [“"]([^”"]{1,40})[”"]|「([^」]{1,40})」とだけ返事/i.exec(text) ?? [];
  return en ?? ja;
}

function matches(text: string, patterns: readonly RegExp[]): boolean {
  return patterns.some((pattern) => pattern.test(text));
}

function normalise(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/[’‘]/g, "'").replace(/\s+/g, ' ').trim();
}

import { type DropScan, FenceEndScan, LengthScan, LinesScan, ObjectScan, TagScan } from './drop-scans.ts';

/** What may be said; then what is dropped, in this order. Without `drop` the rest may still become a block. */
export interface Found {
  readonly openUntil: number;
  readonly drop?: readonly DropScan[];
}

/** Beyond it an object without a known key is none of ours: our keys come first. */
const LONGEST_UNDECIDED = 16_000;

const NAMES = ['searchresultpack', 'timecontext', 'longmoodstate', 'internalcontext'];
const NAME = 'search[ _-]?result[ _-]?pack|time[ _-]?context|long[ _-]?mood[ _-]?state|internal[ _-]?context';
const LONGEST_NAME = 20;
const NAME_AS_KEY = new RegExp(`(?:${NAME})\\\\*["']?\\s*:`, 'i');
const BEGINNING = new RegExp(`\`\`\`|\\{|(?<![A-Za-z0-9])(?:${NAME})`, 'gi');
const KEYS_OF_TIME = /\b(?:last_chat_created_at|gap_seconds)\\*["']?\s*:/;
const KEYS_OF_ITEMS = [/\bevent_id\\*["']?\s*:/, /\bstate_id\\*["']?\s*:/, /\baffect_id\\*["']?\s*:/];
const KEYS_OF_MOOD = [/\bbody_text\\*["']?\s*:/, /\bvad\\*["']?\s*:/];
const INNER_KEY = /^(?:selected|now|last_chat_created_at|gap_seconds|body_text|vad|type|event_id)$/;

/** What may stand around a name. */
const BEFORE_NAME = '"\'`*_<\\';
const BEFORE_NAME_IN_LINE = ` \t>#-${BEFORE_NAME}`;
/** Of what stands before a name; beyond it, it does not belong to the name. */
export const LONGEST_LEAD = 200;
const AFTER_NAME = /^[\s"'`*_>\\:=()-]*/;
const LONGEST_GAP = 200;

/**
 * The first block in a text of which `from` characters have been said already. `isEnd`: nothing follows.
 */
export function findBlock(text: string, from: number, isEnd: boolean): Found {
  BEGINNING.lastIndex = from;
  for (let match = BEGINNING.exec(text); match; match = BEGINNING.exec(text)) {
    const [what] = match;
    const verdict =
      what === '{' || what === '```'
        ? judgeObject(text, match.index, isEnd)
        : judgeName(text, from, match.index, what, isEnd);
    if (typeof verdict !== 'number') return { ...verdict, openUntil: Math.max(from, verdict.openUntil) };
    BEGINNING.lastIndex = verdict;
  }
  return { openUntil: isEnd ? text.length : Math.max(from, undecidedTail(text)) };
}

/** Where to look on, or what was found. */
type Verdict = number | Found;

function judgeObject(text: string, begin: number, isEnd: boolean): Verdict {
  const [fence] = /^(?:```[\w-]*\s*)?/.exec(text.slice(begin, begin + LONGEST_UNDECIDED + 1)) ?? [''];
  if (fence.length > LONGEST_UNDECIDED) return begin + 3;
  const brace = begin + fence.length;
  // What is in a fence may also be a name, and then what stands before the fence belongs to it.
  const undecided: Found = { openUntil: fence === '' ? begin : leadStart(text, begin) };
  if (text.charAt(brace) !== '{') return brace === text.length && !isEnd ? undecided : begin + 3;
  const body = text.slice(brace, brace + LONGEST_UNDECIDED + 1);
  const isTooLong = body.length > LONGEST_UNDECIDED;
  const first = /^\{\s*(\\*["']|\\+|\w+|)/.exec(body);
  const opening = first?.[1] ?? '';
  const isAllRead = first?.[0].length === body.length;
  if (isAllRead && isTooLong) return brace + 1;
  if (isAllRead && !isEnd) return undecided;
  const isPlain = !/["']/.test(opening) && !isOurName(opening);
  // Whether a colon follows its first text is not known yet.
  if (!isEnd && !isTooLong && /^\{\s*\\*["'][^"'\\]*\\*(?:["']\s*)?$/.test(body)) return undecided;
  const isNoKey = /^\{\s*\\*["'][^"'\\]*\\*["']\s*[^\s:]/.test(body);
  if (isPlain || isNoKey) return brace + 1;
  const end = new ObjectScan().feed(body);
  const region = end === -1 ? body : body.slice(0, end);
  const isCut = end === -1 && isEnd && !isTooLong;
  if (isInternal(region) || (isCut && hasBegunName(region)))
    return { openUntil: begin, drop: [new ObjectScan(), ...(fence === '' ? [] : [new FenceEndScan()])] };
  if (end !== -1) return brace + end;
  return isEnd || isTooLong ? brace + 1 : undecided;
}

function isInternal(region: string): boolean {
  if (NAME_AS_KEY.test(region) || KEYS_OF_TIME.test(region)) return true;
  const isThere = (key: RegExp) => key.test(region);
  return KEYS_OF_ITEMS.filter(isThere).length > 1 || KEYS_OF_MOOD.every(isThere);
}

function isOurName(word: string): boolean {
  return NAMES.includes(normal(word)) || INNER_KEY.test(word);
}

/** The text ends inside one of our keys. */
function hasBegunName(region: string): boolean {
  const [, key = ''] = /[{,]\s*\\*["']?([A-Za-z_-]{2,})["'\\]*\s*$/.exec(region) ?? [];
  return key !== '' && NAMES.some((name) => name.startsWith(normal(key)));
}

function judgeName(text: string, from: number, begin: number, name: string, isEnd: boolean): Verdict {
  const start = leadStart(text, begin);
  const isAtLineStart = start === 0 || text.charAt(start - 1) === '\n';
  const after = text.slice(begin + name.length);
  const [gap = ''] = AFTER_NAME.exec(after) ?? [];
  const next = after.slice(gap.length);
  const drop = (scan: DropScan): Found => ({ openUntil: start, drop: [scan] });
  if (text.charAt(begin - 1) === '<' && gap.startsWith('>')) return drop(new TagScan(NAME));
  if (next === '' && !isEnd && gap.length < LONGEST_GAP) return { openUntil: start };
  if (/^[{[]/.test(next)) return drop(new ObjectScan());
  const isAssigned = /[:=]/.test(gap);
  if (isAssigned && next.startsWith('null'))
    return drop(new LengthScan(begin - Math.max(from, start) + name.length + gap.length + 'null'.length));
  if (isAssigned && !isEnd && 'null'.startsWith(next)) return { openUntil: start };
  const isHeading = /[:=][^\S\n]*\n/.test(gap) || (isAtLineStart && /[:=\n]/.test(gap));
  return isHeading ? drop(new LinesScan()) : begin + name.length;
}

/** From where on the end of the text may be the beginning of a block. */
function undecidedTail(text: string): number {
  let start = leadStart(text, text.length);
  for (let index = Math.max(0, text.length - LONGEST_NAME); index < text.length; index += 1) {
    const word = normal(text.slice(index));
    const isInsideWord = /[A-Za-z0-9]/.test(text.charAt(index - 1)) || /[ _-]/.test(text.charAt(index));
    if (isInsideWord || word === '' || !NAMES.some((name) => name.startsWith(word))) continue;
    start = Math.min(start, leadStart(text, index));
    break;
  }
  return start;
}

/** Where that begins which stands before a name at `end`, and belongs to it. */
function leadStart(text: string, end: number): number {
  const line = runStart(text, end, BEFORE_NAME_IN_LINE);
  if (line === 0 || text.charAt(line - 1) === '\n') return line;
  return runStart(text, end, BEFORE_NAME);
}

/** Where the run of these characters before `end` begins; `end` if it is longer than a lead. */
function runStart(text: string, end: number, chars: string): number {
  const least = Math.max(0, end - LONGEST_LEAD);
  let start = end;
  while (start > 0 && chars.includes(text.charAt(start - 1))) {
    if (start === least) return end;
    start -= 1;
  }
  return start;
}

function normal(word: string): string {
  return word.toLowerCase().replace(/[ _-]/g, '');
}

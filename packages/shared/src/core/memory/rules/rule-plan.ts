import { endOf } from '../../rules/storable-text.ts';
import { type TimeHint, timeHintOf } from './time-hint.ts';

/** What a search asks, without a model: the shape of `searchPlanSchema`. */
export interface RulePlan {
  readonly mode: 'associative_recent' | 'targeted_broad' | 'explicit_about_time';
  readonly queries: string[];
  readonly time_hint: {
    readonly about_year_start: number | null;
    readonly about_year_end: number | null;
    readonly life_stage_hint: TimeHint['lifeStage'];
  };
  readonly diversify: { readonly by: []; readonly per_bucket: number };
  readonly limits: { readonly max_candidates: number; readonly max_selected: number };
}

const MAX_CANDIDATES = 200;
export const MAX_SELECTED = 12;
const PER_BUCKET = 5;
/** Longer inputs are told, not asked: their end holds the question. */
const LONGEST_QUERY = 2_000;

/** Words of a question that say nothing about what is asked for. */
const PHRASES = [
  /(?:について|に関して|のこと)?(?:を|は)?(?:教えて|おしえて|思い出して|覚えて(?:い)?(?:る|ます)か?|知って(?:い)?(?:る|ます)か?)(?:ください|下さい|くれる|もらえますか|ほしい)?/gu,
  /(?:何|なん|なに|どこ|誰|だれ|いつ|なぜ|どうして|どんな|どう|どれ|どちら|いくつ|いくら|何(?:人|回|歳|時|年|月|日|曜日|個|枚|冊|本|匹|番目|という|て))(?=[\p{Script=Hiragana}\p{P}\s]|$)/gu,
  /(?:でしょうか|でしたか|ましたか|ますか|ですか|だっけ|でしたっけ|のか)(?=[\p{P}\s]|$)/gu,
  /\b(?:do|did|can|could|would) (?:you|we|i) (?:remember|recall|know|tell me)\b|\b(?:please )?(?:tell|remind) (?:me|us)(?: about| of)?\b/giu,
  /\b(?:what|which) (?:kind|type|sort)s? of\b|\bhow (?:many|much|long|often|old|far)\b|\baccording to\b/giu,
];
const IS_QUESTION =
  /[?？]|(?:教えて|おしえて|何|なに|どこ|誰|だれ|いつ|なぜ|どうして|どんな|っけ)|\b(?:what|when|where|who|whom|whose|which|why|how|remember|recall|remind)\b/iu;

/** The plan of a search by rules: the mode, the question without its phrases, the times that it names. */
export function rulePlan(text: string, now: Date): { plan: RulePlan; time: TimeHint } {
  const time = timeHintOf(text, now);
  const input = endOf(text, LONGEST_QUERY);
  const isTimed = time.spans.length > 0 || time.lifeStage !== '';
  const years = time.spans.flatMap(({ from, to }) => [from.getUTCFullYear(), to.getUTCFullYear()]);
  return {
    plan: {
      mode: isTimed
        ? 'explicit_about_time'
        : IS_QUESTION.test(input)
          ? 'targeted_broad'
          : 'associative_recent',
      queries: [withoutPhrases(input)],
      time_hint: {
        about_year_start: years.length > 0 ? Math.min(...years) : null,
        about_year_end: years.length > 0 ? Math.max(...years) : null,
        life_stage_hint: time.lifeStage,
      },
      diversify: { by: [], per_bucket: PER_BUCKET },
      limits: { max_candidates: MAX_CANDIDATES, max_selected: MAX_SELECTED },
    },
    time,
  };
}

/** The question without its phrases; the question itself when nothing else is left. */
export function withoutPhrases(text: string): string {
  const bare = PHRASES.reduce((rest, pattern) => rest.replace(pattern, ' '), text.normalize('NFKC')).trim();
  return /[\p{L}\p{N}]/u.test(bare) ? bare : text.trim();
}

/** Words that nearly every text holds: they would cost postings and find nothing. */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are aren't as at be because been before being below between both
  but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each else ever few for from
  further get gets got had hadn't has hasn't have haven't having he he'd he'll he's her here hers herself him himself
  his how i i'd i'll i'm i've if in into is isn't it it's its itself just let let's me more most my myself no nor not of
  off on once only or other our ours ourselves out over own per same shall she she'd she'll she's should shouldn't so
  some such than that that's the their theirs them themselves then there there's these they they'd they'll they're
  they've this those through to too under until up upon us very was wasn't we we'd we'll we're we've were weren't what
  what's when where which while who who's whom whose why will with won't would wouldn't yes yet you you'd you'll you're
  you've your yours yourself yourselves oh ok okay hey hi hello wow yeah really`.split(/\s+/),
);

/** Pairs of hiragana that are grammar and not words. In katakana the same sounds are words. */
export const KANA_STOP_PAIRS: ReadonlySet<string> = new Set(
  `です ます まし した して てい いる いた ってっ って った たの ので のは のが のを のに にな なっ なり なる ない なか
  かっ から でも では には とは とか とい いう うの いま ませ せん しま ある あっ あり りま れて れた れる られ され
  こと との もの ため たり よう うに うな そう うで たら なら たい たし だっ だと だね だよ ねえ よね かな ても とも のか
  すか たか たっ んで んだ んの にも へと まで より ほど など ずっ けど どう もう また まだ その この あの ここ そこ これ
  それ あれ どの どれ だれ いつ どこ なに なぜ くだ ださ さい てく くれ おし しえ えて`.split(/\s+/),
);

import { type MarkedText, partsOf } from './hits.ts';

/** A text with what fits the query marked. */
export function Marked(marked: MarkedText) {
  let at = 0;
  return (
    <bdi>
      {partsOf(marked).map(({ text, isMarked }) => {
        const key = at;
        at += text.length;
        return isMarked ? (
          <mark key={key} className="rounded-[2px] bg-amber-line px-px text-ink">
            {text}
          </mark>
        ) : (
          <span key={key}>{text}</span>
        );
      })}
    </bdi>
  );
}

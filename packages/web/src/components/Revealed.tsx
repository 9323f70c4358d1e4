import { revealed } from '../lib/revealed.ts';

/** A text of an agent, character by character as it will be used: hidden ones are shown by their number. */
export function Revealed({ text }: { readonly text: string }) {
  return revealed(text).map((part, index) =>
    part.isHidden ? (
      <span key={index} className="rounded-sm bg-red-soft px-0.5 text-11 text-red-ink">
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
}

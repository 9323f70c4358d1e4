import { Time } from './Time.tsx';

interface WhoAndWhenProps {
  /** A name, or what stands in its place; undefined: the time alone. */
  readonly who: string | undefined;
  /** As the API has it. */
  readonly at: string;
}

/** "Takahashi · 12:31" at the end of the line of a card: a long name has half of the line, and is whole when that is open. */
export function WhoAndWhen({ who, at }: WhoAndWhenProps) {
  return (
    <span className="num flex max-w-1/2 flex-none whitespace-pre">
      {who !== undefined && (
        <>
          <span className="min-w-0 truncate group-open/card:wrap-anywhere group-open/card:whitespace-normal">
            {who}
          </span>
          <span className="flex-none"> · </span>
        </>
      )}
      <Time at={at} format="clock" className="flex-none" />
    </span>
  );
}

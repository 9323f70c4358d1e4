import { useMemo } from 'react';
import { codeTokens } from './code-tokens.ts';

export interface ColouredCodeProps {
  readonly language: string;
  readonly text: string;
}

export function ColouredCode({ language, text }: ColouredCodeProps) {
  const tokens = useMemo(() => codeTokens(language, text), [language, text]);
  return tokens.map(({ text: piece, className }, index) =>
    className === undefined ? (
      piece
    ) : (
      <span key={index} className={className}>
        {piece}
      </span>
    ),
  );
}

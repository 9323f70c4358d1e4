/** The trimmed value of a text field. */
export function formText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** What saves a form: a mutation. */
export interface FormAction {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly reset: () => void;
}

/** The onChange of a form: a refusal goes away with the first change, because it is about what stood there before. */
export function forgetError({ isError, reset }: Pick<FormAction, 'isError' | 'reset'>): () => void {
  return () => {
    if (isError) reset();
  };
}

/** What a pure rule says: the next state with what follows from it, or why not. */
export type Decision<Value, Refusal extends string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Refusal };

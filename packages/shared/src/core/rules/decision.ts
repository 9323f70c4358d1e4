/** The result of a pure rule: the next state with its effects, or the reason of the refusal. */
export type Decision<Value, Refusal extends string> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly refusal: Refusal };

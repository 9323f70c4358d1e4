/** The JSON value in a text of a model, which may have written around it; undefined: there is none. */
export function jsonValueIn(text: string): unknown {
  const begin = text.indexOf('{');
  const end = text.lastIndexOf('}');
  return parsed(text) ?? (begin === -1 ? undefined : parsed(text.slice(begin, end + 1)));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

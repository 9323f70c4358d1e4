/** 980, 12.4k, 1.2M */
export function amountText(amount: number): string {
  if (amount < 1_000) return String(amount);
  const [value, unit] = amount < 999_950 ? [amount / 1_000, 'k'] : [amount / 1_000_000, 'M'];
  return `${value.toFixed(1).replace(/\.0$/, '')}${unit}`;
}

/** $0.03, $1.20; below half a cent <$0.01. */
export function costText(usd: number): string {
  if (usd > 0 && usd < 0.005) return '<$0.01';
  return `$${usd.toFixed(2)}`;
}

const milliseconds: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Milliseconds of `30s`, `10m`, `1h` or `7d` (at most six digits); undefined for any other text. */
export const durationOf = (text: string): number | undefined => {
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const factor = milliseconds.get(unit);
  return factor === undefined ? undefined : Number(count) * factor;
};

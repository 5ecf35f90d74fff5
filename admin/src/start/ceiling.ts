/** A round figure at or above the highest bar: 1, 2 or 5 times a power of ten. */
export const ceilingOf = (highest: number): number => {
  if (highest <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  const step = [1, 2, 5, 10].find((each) => each * power >= highest) ?? 10;
  return step * power;
};

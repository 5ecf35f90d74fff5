/** Round figures whose half is round too, as multiples of a power of ten. */
const steps = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10] as const;

/** A round figure at or above the highest bar, and not far above. */
export const ceilingOf = (highest: number): number => {
  // There are no half requests.
  if (highest <= 1) return 2;
  if (highest <= 10) return highest + (highest % 2);
  const power = 10 ** Math.floor(Math.log10(highest));
  const step = steps.find((each) => each * power >= highest) ?? 10;
  return Math.round(step * power);
};

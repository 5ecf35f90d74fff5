/** How well a media range of an `Accept` header fits a type. */
interface Fit {
  readonly weight: number;
  /** 2: the type itself; 1: any subtype; 0: anything. */
  readonly precision: number;
  /** Place in the header. */
  readonly place: number;
}

const weightForm = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

const weightOf = (parameters: readonly string[]): number => {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return weightForm.test(text) ? Number(text) : 0;
};

const precisionOf = (range: string, type: string): number => {
  if (range === type) return 2;
  if (range === '*/*') return 0;
  return range === `${type.split('/', 1)[0]}/*` ? 1 : -1;
};

/** Of the ranges that a type falls under the most precise one counts (RFC 9110, 12.5.1). */
const fitOf = (ranges: readonly string[], type: string): Fit | undefined => {
  let best: Fit | undefined;
  for (const [place, text] of ranges.entries()) {
    const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
    const precision = precisionOf(range, type);
    if (precision > (best?.precision ?? -1)) best = { weight: weightOf(parameters), precision, place };
  }
  return best;
};

/**
 * Whether an `Accept` header prefers a type to the one that is answered to whoever has no preference: by weight, then
 * by how precisely the type is named, then by place in the header, as is common. A header that accepts neither is not
 * refused; it gets the usual type.
 */
export const prefers = (accept: string | undefined, type: string, usual: string): boolean => {
  // What nearly everybody sends.
  if (accept === undefined || accept === '*/*' || accept === usual) return false;
  const ranges = accept.split(',');
  const [wanted, other] = [fitOf(ranges, type), fitOf(ranges, usual)];
  if (wanted === undefined || wanted.weight === 0) return false;
  if (other === undefined || wanted.weight !== other.weight) return wanted.weight > (other?.weight ?? 0);
  if (wanted.precision !== other.precision) return wanted.precision > other.precision;
  return wanted.place < other.place;
};

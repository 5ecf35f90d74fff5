/** A line plot as SVG, both axes optionally logarithmic; readable in light and dark pages. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
}

export interface Plot {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly Series[];
}

const size = { width: 640, height: 360, left: 64, right: 32, top: 40, bottom: 48 };
const colours = ['#2f6fde', '#d9622b', '#2b9a66', '#8b5cf6', '#c2410c'];

const decades = (values: readonly number[]): readonly [number, number] => {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const from = Math.floor(Math.log10(low));
  return [from, Math.max(from + 1, Math.ceil(Math.log10(high)))];
};

const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const label = (exponent: number): string =>
  exponent >= 0 ? (10 ** exponent).toLocaleString('en') : (10 ** exponent).toFixed(-exponent);

export const toSvg = ({ title, x, y, series }: Plot): string => {
  const all = series.flatMap(({ points }) => points);
  const [x0, x1] = decades(all.map(([value]) => value));
  const [y0, y1] = decades(all.map(([, value]) => value));
  const plotWidth = size.width - size.left - size.right;
  const plotHeight = size.height - size.top - size.bottom;
  const atX = (value: number): number => size.left + ((Math.log10(value) - x0) / (x1 - x0)) * plotWidth;
  const atY = (value: number): number =>
    size.height - size.bottom - ((Math.log10(value) - y0) / (y1 - y0)) * plotHeight;
  const steps = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const grid = [
    ...steps(x0, x1).map((step) => {
      const at = atX(10 ** step).toFixed(1);
      return `<path d="M${at} ${size.top}V${size.height - size.bottom}"/><text x="${at}" y="${size.height - size.bottom + 16}" text-anchor="middle">${label(step)}</text>`;
    }),
    ...steps(y0, y1).map((step) => {
      const at = atY(10 ** step).toFixed(1);
      return `<path d="M${size.left} ${at}H${size.width - size.right}"/><text x="${size.left - 6}" y="${Number(at) + 4}" text-anchor="end">${label(step)}</text>`;
    }),
  ];
  const lines = series.map(({ name, points }, index) => {
    const colour = colours[index % colours.length];
    const path = points.map(([px, py]) => `${atX(px).toFixed(1)},${atY(py).toFixed(1)}`).join(' ');
    const dots = points
      .map(
        ([px, py]) =>
          `<circle cx="${atX(px).toFixed(1)}" cy="${atY(py).toFixed(1)}" r="3" fill="${colour}"/>`,
      )
      .join('');
    const legend = `<text x="${size.left + 8}" y="${size.top + 14 + index * 15}" fill="${colour}">${escapeText(name)}</text>`;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots}${legend}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="system-ui, sans-serif" font-size="11">
<title>${escapeText(title)}</title>
<style>.grid{stroke:#8884;fill:#777}.grid text{stroke:none}</style>
<text x="${size.left}" y="20" font-size="14" fill="#777">${escapeText(title)}</text>
<g class="grid">${grid.join('')}</g>
<text x="${size.left + plotWidth / 2}" y="${size.height - 8}" text-anchor="middle" fill="#777">${escapeText(x)}</text>
<text x="14" y="${size.top + plotHeight / 2}" text-anchor="middle" fill="#777" transform="rotate(-90 14 ${size.top + plotHeight / 2})">${escapeText(y)}</text>
${lines.join('\n')}
</svg>
`;
};

/** Colours of badges: the contrast that each needs on the pages, and the nearest colour that has it. */

type Channels = readonly [number, number, number];

/** Grounds of the pages, light and dark: `--page` of `docs-page/tokens.css`. */
export const pageGrounds = { light: '#fafaf8', dark: '#0f1314' } as const;

/** Smallest contrast of a part that is not text (WCAG 2.2, 1.4.11). */
const visibleContrast = 3;

/** Inks of a badge, in order of preference. On any colour one of the two has a contrast of 4.5 or more. */
const inks = ['#ffffff', '#000000'] as const;

const isColour = (text: string): boolean => /^#[\da-f]{6}$/i.test(text);

const channelsOf = (colour: string): Channels => {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

const colourOf = (channels: Channels): string =>
  `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance as WCAG defines it, from 0 to 1. */
const luminanceOf = (colour: string): number => {
  const [red, green, blue] = channelsOf(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** The contrast of two colours in the form `#rrggbb`, from 1 to 21. */
export const contrastOf = (one: string, other: string): number => {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
};

/** The themes in which a colour is too close to the ground, with its contrast there. */
const lostIn = (colour: string): readonly string[] =>
  Object.entries(pageGrounds)
    .map(([theme, ground]) => ({ theme, contrast: contrastOf(colour, ground) }))
    .filter(({ contrast }) => contrast < visibleContrast)
    .map(({ theme, contrast }) => `${contrast.toFixed(1)} on the ${theme} page`);

/** The first colour that is visible in both themes, on the way from a colour to white or to black. */
const nearestVisible = (colour: string): string => {
  const goal = contrastOf(colour, pageGrounds.light) < visibleContrast ? 0 : 255;
  const from = channelsOf(colour);
  for (let step = 1; step <= 100; step += 1) {
    const mixed = colourOf(from.map((each) => each + ((goal - each) * step) / 100) as unknown as Channels);
    if (lostIn(mixed).length === 0) return mixed;
  }
  throw new Error(`no colour near ${colour} is visible in both themes`);
};

/** The flaw of a badge's colour, as a clause for a developer; undefined when it has none. */
export const badgeColourFlaw = (value: unknown, path: string): string | undefined => {
  if (typeof value !== 'string' || !isColour(value)) return `${path} must be a colour in the form #b45309`;
  const lost = lostIn(value);
  return lost.length === 0
    ? undefined
    : `${path} ${value} cannot be seen: its contrast is ${lost.join(' and ')}, and at least ${visibleContrast} is needed; ${nearestVisible(value)} has it`;
};

/** The ink of text on a colour, with a contrast of 4.5 or more: white where white has it. */
export const inkOn = (colour: string): string =>
  inks.find((ink) => contrastOf(ink, colour) >= 4.5) ?? inks[1];

/** Pictures of the controls: lines of one width on a grid of 24, as in the administration area. */

const ring = 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z';

const paths = {
  language: `${ring}M3 12h18M12 3c3 3 4 6 4 9s-1 6-4 9c-3-3-4-6-4-9s1-6 4-9z`,
  dark: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  light:
    'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21',
  link: 'M10 8H7a4 4 0 0 0 0 8h3M14 8h3a4 4 0 0 1 0 8h-3M8 12h8',
  gate: 'M6 21V12a6 6 0 0 1 12 0v9',
  narrowed: 'M6 21V12a6 6 0 0 1 12 0v9M10 21v-7.5a2 2 0 0 1 4 0V21',
};

const space = 'http://www.w3.org/2000/svg';

/** @param {string} name @param {Record<string, string | number>} attributes */
const element = (name, attributes) => {
  const made = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
};

/** @param {keyof typeof paths} name @param {number} [size] pixels */
export const icon = (name, size = 20) => {
  const picture = element('svg', { viewBox: '0 0 24 24', width: size, height: size, 'aria-hidden': 'true' });
  picture.append(
    element('path', {
      d: paths[name],
      ...{
        fill: 'none',
        stroke: 'currentColor',
        'stroke-width': name === 'gate' || name === 'narrowed' ? 2 : 1.75,
      },
      ...{ 'stroke-linecap': 'round', 'stroke-linejoin': 'round' },
    }),
  );
  return picture;
};

/** The mark of the product, as the administration area shows it. @param {number} size pixels */
export const mark = (size) => {
  const picture = element('svg', { viewBox: '0 0 32 32', width: size, height: size, 'aria-hidden': 'true' });
  picture.append(
    element('rect', { width: 32, height: 32, rx: 8, fill: '#1f5f66' }),
    element('path', { d: 'M8 25V14a8 8 0 0 1 16 0v11h-4V14a4 4 0 0 0-8 0v11z', fill: '#fff' }),
    element('circle', { cx: 16, cy: 20, r: 2.4, fill: '#f0b45a' }),
  );
  return picture;
};

/** All icons of the pages, as data and as a component. */

import SvgIcon, { type SvgIconProps } from '@mui/material/SvgIcon';
import type { IconName as ModelIconName } from '../../../src/model/describe.ts';

/** A ring of radius 9 around the middle of the grid. */
const ring = 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z';

/** A turn to the left that ends in an arrow. */
const turn = 'M4 4v6h6M4.6 10A8 8 0 1 1 4 13';

/** The icons of models: every name that a model file may give. */
const modelPaths: Readonly<Record<ModelIconName, string>> = {
  archive: 'M3 5h18v4H3zM5 9v10h14V9M10 13h4',
  article: 'M5 4h14v16H5zM8 8h8M8 12h8M8 16h5',
  badge: 'M4 7h16v13H4zM10 9V4h4v5M7 17c0-3 5-3 5 0M9.5 12.5h.01M15 13h2M15 16h2',
  bank: 'M3 9l9-5 9 5zM5 9v8M10 9v8M14 9v8M19 9v8M3 20h18',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6M4 17h16M10 20h4M12 5V3',
  book: 'M12 6c-3-2-6-2-9-1v13c3-1 6-1 9 1 3-2 6-2 9-1V5c-3-1-6-1-9 1zM12 6v13',
  box: 'M3 7h18v13H3zM3 7l3-4h12l3 4M9 11h6',
  briefcase: 'M3 7h18v13H3zM9 7V4h6v3M3 12h18',
  bug: 'M8 9h8v6a4 4 0 0 1-8 0zM9 9a3 3 0 0 1 6 0M4 13h4M16 13h4M5 7l3 3M19 7l-3 3M5 19l3-2M19 19l-3-2',
  building: 'M6 21V3h12v18M3 21h18M10 7h.01M14 7h.01M10 11h.01M14 11h.01M10 21v-5h4v5',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4M8 14h.01M12 14h.01M16 14h.01',
  camera: 'M3 7h5l2-3h4l2 3h5v13H3zM12 17a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  cart: 'M2 4h3l3 11h10l3-8H6M9 20.5a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM17 20.5a1 1 0 1 0 0-2 1 1 0 0 0 0 2z',
  chart: 'M4 20h16M6 20v-8M12 20V4M18 20v-11',
  chat: 'M4 4h16v12H10l-4 4v-4H4zM8 8h8M8 12h5',
  check: `${ring}M8 12l3 3 5-6`,
  clock: `${ring}M12 7v5l3 3`,
  cloud: 'M7 19a4.5 4.5 0 0 1-.5-9A6 6 0 0 1 18 9.5a4.8 4.8 0 0 1-.5 9.5z',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  document: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  flag: 'M6 21V4h12l-2 4 2 4H6',
  flask: 'M9 3h6M10 3v6l-5 10a1.5 1.5 0 0 0 1.3 2h11.4a1.5 1.5 0 0 0 1.3-2L14 9V3M7.5 15h9',
  folder: 'M3 5h6l2 3h10v11H3z',
  food: 'M5 3v5a2.5 2.5 0 0 0 5 0V3M7.5 3v18M17 21V3c-3 1-4 5-4 9h4',
  gift: 'M4 12h16v9H4zM3 8h18v4H3zM12 8v13M12 8c-5 0-6-5-3-5 2 0 3 3 3 5zM12 8c5 0 6-5 3-5-2 0-3 3-3 5z',
  globe: `${ring}M3 12h18M12 3c3 3 4 6 4 9s-1 6-4 9c-3-3-4-6-4-9s1-6 4-9z`,
  heart: 'M12 20C5 15 3 12 3 8.5A4.5 4.5 0 0 1 12 7a4.5 4.5 0 0 1 9 1.5C21 12 19 15 12 20z',
  home: 'M3 12l9-8 9 8M6 10v10h12V10M10 20v-6h4v6',
  image: 'M3 4h18v16H3zM3 17l5-5 4 4 4-5 5 6M8 8.5h.01',
  key: 'M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 12h9v4M17 12v3',
  layers: 'M12 3l9 5-9 5-9-5zM3 12l9 5 9-5M3 16l9 5 9-5',
  link: 'M10 8H7a4 4 0 0 0 0 8h3M14 8h3a4 4 0 0 1 0 8h-3M8 12h8',
  list: 'M8 6h13M8 12h13M8 18h13M4 6h.01M4 12h.01M4 18h.01',
  lock: 'M5 10h14v11H5zM8 10V7a4 4 0 0 1 8 0v3M12 15v2',
  mail: 'M3 5h18v14H3zM3 6l9 7 9-7',
  money: 'M3 6h18v12H3zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6 9h.01M18 15h.01',
  music:
    'M9 18V5l11-2v13M6.5 20.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM17.5 18.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  note: 'M4 4h16v10l-6 6H4zM20 14h-6v6',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-7 13-7 13 0zM16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2.3.8 3.5 2.8 3.5 5.5',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c0-8 16-8 16 0z',
  phone: 'M7 2h10v20H7zM11 18h2',
  pin: 'M12 21c-5-6-7-9-7-12a7 7 0 0 1 14 0c0 3-2 6-7 12zM12 11.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  receipt: 'M5 3v18l2.5-2 2.25 2 2.25-2 2.25 2 2.25-2 2.5 2V3zM9 8h6M9 12h6',
  school: 'M2 9l10-5 10 5-10 5zM6 11v6c3 3 9 3 12 0v-6M22 9v6',
  settings:
    'M4 7h9M19 7h1M4 17h1M11 17h9M16 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM8 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  shield: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z',
  star: 'M12 3l2.8 5.9 6.2.8-4.5 4.4 1.1 6.4L12 17.4l-5.6 3.1 1.1-6.4L3 9.7l6.2-.8z',
  store: 'M4 10v10h16V10M3 10l2-6h14l2 6zM9 20v-5h6v5',
  tag: 'M3 3h8l10 10-8 8L3 11zM7 7h.01',
  task: 'M4 4h16v16H4zM8 12l3 3 5-6',
  ticket: 'M3 6h18v4a2 2 0 0 0 0 4v4H3v-4a2 2 0 0 0 0-4zM14 6v2M14 11v2M14 16v2',
  tool: 'M15 4a5.5 5.5 0 0 0-5 6.5L3.5 17 7 20.5l6.5-6.5A5.5 5.5 0 0 0 20 9l-3.5 2-3.5-3.5z',
  truck:
    'M2 6h12v11H2zM14 10h4l4 4v3h-8zM7 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  video: 'M3 6h12v12H3zM15 10l6-3v10l-6-3',
  wallet: 'M3 6h15v3M3 6v13h18V9H5a2 2 0 0 1-2-2M16 14h.01',
};

/** Every icon: lines of one width on a grid of 24, drawn for these pages. */
const paths = {
  ...modelPaths,
  arrowDown: 'M12 5v14M6 13l6 6 6-6',
  arch: 'M6 21V11a6 6 0 0 1 12 0v10',
  attention: 'M12 4 2.5 20h19zM12 10v4M12 17v.01',
  apps: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  chevronDown: 'M6 9l6 6 6-6',
  chevronLeft: 'M15 6l-6 6 6 6',
  chevronUp: 'M6 15l6-6 6 6',
  circle: ring,
  boxEmpty: 'M7 4h10a3 3 0 0 1 3 3v10a3 3 0 0 1-3 3H7a3 3 0 0 1-3-3V7a3 3 0 0 1 3-3z',
  columns: 'M3 4h18v16H3zM9 4v16M15 4v16',
  copy: 'M8 8h12v12H8zM8 16H4V4h12v4',
  cross: 'M6 6l12 12M18 6 6 18',
  crossCircle: `${ring}M9 9l6 6M15 9l-6 6`,
  dots: 'M5 11.5v1M12 11.5v1M19 11.5v1',
  download: 'M12 4v12M7 11l5 5 5-5M4 16v4h16v-4',
  filter: 'M3 5h18l-7 8v7l-4-2v-5z',
  grid: 'M3 4h18v16H3zM3 9.5h18M3 14.5h18M9 4v16M15 4v16',
  history: `${turn}M12 9v4l3 2`,
  info: `${ring}M12 11v5M12 8v.01`,
  menu: 'M4 6h16M4 12h16M4 18h16',
  minusCircle: `${ring}M8 12h8`,
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  pencil: 'M4 20l1-5L16 4l4 4L9 19zM13 7l4 4',
  plus: 'M12 5v14M5 12h14',
  restore: turn,
  rule: 'M3 7h8M3 17h8M14 8l2.5 2.5L21 5M15 14l6 6M21 14l-6 6',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5',
  table: 'M3 4h18v16H3zM3 9.5h18M3 14.5h18',
  tick: 'M5 12.5l4.5 4.5L19 7',
  trash: 'M4 6h16M9 6V3h6v3M6 6l1 15h10l1-15M10 10v7M14 10v7',
  upload: 'M12 16V4M7 9l5-5 5 5M4 16v4h16v-4',
  webhook:
    'M12 8.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM6 20a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM18 20a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM11 8.3 7.2 15.2M13 8.3l3.8 6.9M8.5 17.5h7',
} as const;

export type IconName = keyof typeof paths;

const hasIcon = (name: string): name is IconName => Object.hasOwn(paths, name);

/** The icon of a model: a table if it names none, a list if these pages do not know the name. */
export const modelIcon = (name: string | null): IconName => {
  if (name === null) return 'table';
  return hasIcon(name) ? name : 'list';
};

interface IconProps extends SvgIconProps {
  readonly name: IconName;
}

export const Icon = ({ name, ...props }: IconProps) => (
  <SvgIcon {...props}>
    <path
      d={paths[name]}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </SvgIcon>
);

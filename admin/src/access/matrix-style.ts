/** The style of the permission table. */

import type { SxProps, Theme } from '@mui/material/styles';

/** Width of the first column, in pixels; narrower on phones. */
const first = { xs: 120, sm: 180 } as const;

/** Height of the head in pixels: the name of a resource, and the words of its actions. */
const head = 62;

/** Least width of an action in pixels: its word fits. */
const action = 56;

/** One style for the whole table: cells have no styles of their own. */
export const matrixStyle: SxProps<Theme> = {
  overflow: 'auto',
  // A short table is shown whole; the heads of a long one stay visible.
  maxHeight: { md: 'calc(100vh - 230px)' },
  minHeight: { md: 200 },
  scrollPaddingTop: head,
  scrollPaddingLeft: first,
  '& table': { borderCollapse: 'separate', borderSpacing: 0, fontSize: 'var(--small)', width: '100%' },
  '& th, & td': {
    borderBottom: 1,
    borderColor: 'divider',
    p: 0,
    px: 1,
    height: 'var(--row)',
    textAlign: 'left',
    bgcolor: 'background.paper',
  },
  '& tbody tr:last-of-type > *': { borderBottom: 0 },
  '& thead th': {
    position: 'sticky',
    top: 0,
    zIndex: 2,
    height: head,
    py: 0.5,
    verticalAlign: 'top',
    fontWeight: 500,
  },
  '& th:first-of-type': {
    position: 'sticky',
    left: 0,
    zIndex: 1,
    minWidth: first,
    width: first,
    maxWidth: first,
    pl: 1.5,
    borderRight: 1,
    borderRightColor: 'divider',
  },
  '& thead th:first-of-type': { zIndex: 3, color: 'text.secondary' },
  '& thead .people, & td.people': { color: 'text.secondary', textAlign: 'right', whiteSpace: 'nowrap' },
  '& tbody th': { fontWeight: 500 },
  '& tbody tr:hover > th, & tbody tr:hover > td': { bgcolor: 'action.hover' },
  '& .head': { display: 'flex', alignItems: 'center', gap: 0.5, minHeight: 26 },
  '& thead th[data-model] .head': { pl: 0.5 },
  '& thead th.folded .head': { maxWidth: 112 },
  '& .actions': { display: 'grid', gridAutoFlow: 'column', gridAutoColumns: `minmax(${action}px, 1fr)` },
  '& [data-name]': {
    display: 'block',
    minWidth: 0,
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    color: 'inherit',
    textDecoration: 'none',
  },
  '& a[data-name]:hover, & a[data-name]:focus-visible': { textDecoration: 'underline' },
  '& .aside': { color: 'text.disabled', fontWeight: 400, px: 0.5 },
  '& button': {
    minWidth: 24,
    height: 24,
    p: 0,
    px: 0.5,
    border: 0,
    borderRadius: '4px',
    cursor: 'pointer',
    font: 'inherit',
    fontSize: 'var(--meta)',
    lineHeight: 1,
    textAlign: 'left',
    whiteSpace: 'nowrap',
    color: 'text.secondary',
    bgcolor: 'transparent',
  },
  '& .head button': { flex: 'none', textAlign: 'center' },
  '& .head [data-whole]': { ml: 'auto' },
  '& button.unchecked': { color: 'text.disabled' },
  '& button.unchecked::after': { content: '"*"' },
  '& button.unfold::after': { content: '" ›"' },
  '& td button': { width: '100%' },
  '& button:hover': { bgcolor: 'action.hover', color: 'text.primary' },
  '& button:focus-visible, & a:focus-visible, & input:focus-visible + span': {
    outline: '2px solid',
    outlineColor: 'primary.main',
    outlineOffset: -2,
  },
  // An action of a role: a tick if granted. Otherwise nothing, and a dot where one may point.
  '& label': { position: 'relative', display: 'block', height: 28, cursor: 'pointer' },
  '& input': {
    position: 'absolute',
    inset: 0,
    width: '100%',
    height: '100%',
    m: 0,
    opacity: 0,
    cursor: 'pointer',
  },
  '& label > span': {
    display: 'flex',
    alignItems: 'center',
    height: 28,
    pl: 1.5,
    borderRadius: '4px',
    pointerEvents: 'none',
  },
  '& label > span::before': { content: '""', color: 'text.disabled' },
  '& tr:hover label > span::before, & tr:focus-within label > span::before': { content: '"·"' },
  '@media (hover: none)': { '& label > span::before': { content: '"·"' } },
  '& label:hover > span': { bgcolor: 'divider' },
  '& input:checked + span.tick::before': { content: '"✓"', fontWeight: 600, color: 'primary.main' },
  '& .unchecked input:checked + span.tick::before': { color: 'text.disabled' },
};

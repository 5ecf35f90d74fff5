/** The style of the permission table. */

import type { SxProps, Theme } from '@mui/material/styles';

/** Width of the first column, in pixels; narrower on phones. */
const first = { xs: 136, sm: 200 } as const;

/** Height of the head in pixels: the name of a resource, and the letters of its actions. */
const head = 62;

const letter = 24;

/** One style for the whole table: cells have no styles of their own. */
export const matrixStyle: SxProps<Theme> = {
  overflow: 'auto',
  // A short table is shown whole; the heads of a long one stay visible.
  maxHeight: { md: 'calc(100vh - 190px)' },
  minHeight: { md: 200 },
  scrollPaddingTop: head,
  scrollPaddingLeft: first,
  '& table': { borderCollapse: 'separate', borderSpacing: 0, fontSize: 'var(--small)' },
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
  '& tbody th': { fontWeight: 500 },
  '& tbody tr:hover > th, & tbody tr:hover > td': { bgcolor: 'action.hover' },
  '& .head': { display: 'flex', alignItems: 'center', gap: 0.5, minHeight: 26 },
  '& thead th:not(:first-of-type) .head': { maxWidth: 4 * letter + 12 },
  '& .letters': { display: 'flex', gap: '2px' },
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
  '& .aside': { color: 'text.disabled', fontWeight: 400 },
  '& button': {
    flex: 'none',
    width: letter,
    height: letter,
    p: 0,
    border: 0,
    borderRadius: '4px',
    cursor: 'pointer',
    font: 'inherit',
    fontSize: 'var(--meta)',
    lineHeight: 1,
    color: 'text.secondary',
    bgcolor: 'transparent',
  },
  '& .head button': { ml: 'auto', width: 20 },
  '& button.unchecked': { textDecoration: 'line-through', color: 'text.disabled' },
  '& button:hover': { bgcolor: 'action.hover', color: 'text.primary' },
  '& button:focus-visible, & a:focus-visible, & input:focus-visible + span': {
    outline: '2px solid',
    outlineColor: 'primary.main',
    outlineOffset: 1,
  },
  // Each box is a letter: filled if the role has the permission, a dot if not.
  '& label': { position: 'relative', display: 'block', width: letter, height: letter, cursor: 'pointer' },
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
    display: 'grid',
    placeItems: 'center',
    width: letter,
    height: letter,
    borderRadius: '4px',
    fontSize: 'var(--meta)',
    color: 'text.disabled',
    pointerEvents: 'none',
  },
  '& label:hover > span': { bgcolor: 'divider' },
  '& input:checked + span': { fontWeight: 600, color: 'primary.main', bgcolor: 'primary.light' },
  '& .unchecked input:checked + span': { color: 'text.secondary', bgcolor: 'action.hover' },
};

import type { SxProps, Theme } from '@mui/material/styles';

/** Width of the first column; a telephone has less to give. */
const first = { xs: 212, sm: 260 } as const;

/** One style for the whole table, so that no cell brings one of its own. */
export const matrixStyle: SxProps<Theme> = {
  overflow: 'auto',
  // Seen whole where it is short, else its heads stay in sight.
  maxHeight: { md: 'calc(100vh - 220px)' },
  minHeight: { md: 240 },
  '& table': { borderCollapse: 'separate', borderSpacing: 0, width: '100%', fontSize: 14 },
  '& th, & td': {
    borderBottom: 1,
    borderColor: 'divider',
    p: 0,
    height: 38,
    textAlign: 'center',
    minWidth: 104,
    bgcolor: 'background.paper',
  },
  '& thead th': { position: 'sticky', top: 0, zIndex: 2, fontWeight: 600, height: 44 },
  '& thead th, & tbody th[scope=rowgroup], & tbody .group td': { bgcolor: 'background.default' },
  '& th:first-of-type': {
    position: 'sticky',
    left: 0,
    zIndex: 1,
    textAlign: 'left',
    minWidth: first,
    width: first,
    maxWidth: first,
    pl: 2,
    borderRight: 1,
    borderRightColor: 'divider',
  },
  '& thead th:first-of-type': { zIndex: 3 },
  '& tbody th[scope=row]': { fontWeight: 450, pl: 3 },
  '& tbody tr:hover > th[scope=row], & tbody tr:hover > td': { bgcolor: 'action.hover' },
  '& .head': { display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: 4, pr: 0.5 },
  '& thead .head': { maxWidth: 168, mx: 'auto', justifyContent: 'center', gap: 0.25 },
  '& thead th:first-of-type .head': { mx: 0, justifyContent: 'flex-start' },
  '& .head > span, & .head > a': { minWidth: 0 },
  '& [data-name]': {
    display: 'block',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
    color: 'inherit',
  },
  '& a[data-name]': { textDecorationColor: 'transparent' },
  '& a[data-name]:hover, & a[data-name]:focus-visible': { textDecorationColor: 'currentcolor' },
  '& .aside': { color: 'text.secondary', fontWeight: 400, fontSize: 13 },
  '& button': {
    flex: 'none',
    width: 26,
    height: 26,
    border: 0,
    borderRadius: 1,
    cursor: 'pointer',
    font: 'inherit',
    lineHeight: 1,
    color: 'text.secondary',
    bgcolor: 'transparent',
  },
  '& button:hover': { bgcolor: 'action.hover', color: 'text.primary' },
  '& button:focus-visible, & a:focus-visible, & input:focus-visible': {
    outline: '2px solid',
    outlineColor: 'primary.main',
    outlineOffset: 1,
  },
  '& label': { display: 'grid', placeItems: 'center', minHeight: 37, cursor: 'pointer' },
  '& input': {
    ...{ width: 17, height: 17, m: 0, cursor: 'pointer' },
    accentColor: 'var(--accent)',
  },
  '& .unchecked input': { opacity: 0.55 },
};

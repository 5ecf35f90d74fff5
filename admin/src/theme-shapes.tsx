/** The looks of the component library: buttons, fields, surfaces and contents. */

import SvgIcon, { type SvgIconProps } from '@mui/material/SvgIcon';
import type { Components, CssVarsTheme, Theme } from '@mui/material/styles';
import { Icon } from './parts/icon.tsx';

type Shapes = Components<Omit<Theme, 'components' | 'palette'> & CssVarsTheme>;

/** A filled box with a drawing. */
const FilledBox = ({ d, ...properties }: SvgIconProps & { readonly d: string }) => (
  <SvgIcon {...properties}>
    <rect x="4" y="4" width="16" height="16" rx="4" />
    <path d={d} fill="none" stroke="var(--on-accent)" strokeWidth="2.25" strokeLinecap="round" />
  </SvgIcon>
);

const ChosenCircle = (properties: SvgIconProps) => (
  <SvgIcon {...properties}>
    <circle cx="12" cy="12" r="7" fill="none" stroke="currentColor" strokeWidth="5" />
  </SvgIcon>
);

const focus = { outline: '2px solid var(--accent)', outlineOffset: 2 } as const;

const touch = '@media (pointer: coarse)';

/** Buttons: 32 px high, 28 if compact, 40 on touch screens. */
const buttons: Shapes = {
  MuiButtonBase: {
    defaultProps: { disableRipple: true, disableTouchRipple: true },
    styleOverrides: { root: { '&.Mui-focusVisible': focus } },
  },
  MuiButton: {
    defaultProps: { disableElevation: true, color: 'inherit' },
    styleOverrides: {
      root: {
        minHeight: 'var(--control-height)',
        minWidth: 0,
        padding: '5px 12px',
        borderRadius: 'var(--radius-control)',
        whiteSpace: 'nowrap',
        transition: 'none',
        [touch]: { minHeight: 40 },
      },
      sizeSmall: {
        minHeight: 'var(--control-compact)',
        padding: '3px 8px',
        fontSize: 'var(--small)',
        [touch]: { minHeight: 40 },
      },
      text: { '&:hover': { backgroundColor: 'var(--raised)' } },
      outlined: {
        padding: '4px 11px',
        borderColor: 'var(--line)',
        backgroundColor: 'var(--ground)',
        '&:hover': { backgroundColor: 'var(--raised)', borderColor: 'var(--control)' },
      },
      contained: {
        variants: [
          {
            props: { color: 'inherit' },
            style: {
              color: 'var(--on-accent)',
              backgroundColor: 'var(--accent)',
              '&:hover': { backgroundColor: 'var(--accent-dark)' },
              '&.Mui-disabled': { color: 'var(--faint)', backgroundColor: 'var(--raised)' },
            },
          },
        ],
      },
      startIcon: { marginLeft: -2, marginRight: 6, '& > *:nth-of-type(1)': { fontSize: 16 } },
      endIcon: { marginRight: -2, marginLeft: 6, '& > *:nth-of-type(1)': { fontSize: 16 } },
    },
  },
  MuiIconButton: {
    styleOverrides: {
      root: {
        width: 32,
        height: 32,
        padding: 0,
        borderRadius: 'var(--radius-control)',
        color: 'var(--dim)',
        '&:hover': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
        '& .MuiSvgIcon-root': { fontSize: 18 },
        [touch]: { width: 40, height: 40 },
      },
      sizeSmall: { width: 28, height: 28 },
    },
  },
  MuiToggleButtonGroup: {
    styleOverrides: { root: { borderRadius: 'var(--radius-control)', backgroundColor: 'var(--ground)' } },
  },
  MuiToggleButton: {
    styleOverrides: {
      root: {
        height: 32,
        padding: '0 12px',
        color: 'var(--dim)',
        fontWeight: 500,
        borderColor: 'var(--line)',
        textTransform: 'none',
        '&.Mui-selected': { color: 'var(--accent)', backgroundColor: 'var(--accent-soft)' },
        '&.Mui-selected:hover': { backgroundColor: 'var(--accent-soft)' },
        '&:hover': { backgroundColor: 'var(--raised)' },
        [touch]: { height: 40 },
      },
      sizeSmall: { height: 28 },
    },
  },
};

/** Labels stay above their fields; a field is a plain box. */
const fields: Shapes = {
  MuiTextField: { defaultProps: { variant: 'outlined', size: 'small', fullWidth: true, margin: 'dense' } },
  MuiFormControl: { defaultProps: { variant: 'outlined', size: 'small', fullWidth: true, margin: 'dense' } },
  MuiInputLabel: {
    defaultProps: { shrink: true },
    styleOverrides: {
      root: {
        position: 'static',
        transform: 'none',
        maxWidth: '100%',
        marginBottom: 4,
        fontSize: 'var(--small)',
        lineHeight: 'var(--small-line)',
        fontWeight: 500,
        color: 'var(--text)',
        whiteSpace: 'normal',
        pointerEvents: 'auto',
        transition: 'none',
        '&.Mui-focused': { color: 'var(--text)' },
        '&.Mui-error': { color: 'var(--danger)' },
        '&.Mui-disabled': { color: 'var(--faint)' },
      },
      asterisk: { color: 'var(--danger)' },
    },
  },
  MuiFormLabel: { styleOverrides: { root: { fontSize: 'var(--small)', fontWeight: 500 } } },
  MuiInputBase: {
    styleOverrides: {
      root: { fontSize: 'var(--body)', lineHeight: 'var(--body-line)' },
      input: { height: 'auto', [touch]: { fontSize: 16 } },
    },
  },
  MuiOutlinedInput: {
    defaultProps: { notched: false },
    styleOverrides: {
      root: {
        minHeight: 'var(--control-height)',
        borderRadius: 'var(--radius-control)',
        backgroundColor: 'var(--ground)',
        '&:hover:not(.Mui-disabled, .Mui-error) .MuiOutlinedInput-notchedOutline': {
          borderColor: 'var(--dim)',
        },
        '&.Mui-focused .MuiOutlinedInput-notchedOutline': { borderWidth: 2 },
        '&.Mui-disabled': { backgroundColor: 'var(--raised)' },
        [touch]: { minHeight: 40 },
      },
      notchedOutline: {
        top: 0,
        borderColor: 'var(--control)',
        // The label is above the field and needs no gap in its border.
        '& legend': { display: 'none' },
      },
      input: { padding: '6px 10px', minHeight: 20, height: 20, boxSizing: 'content-box' },
      adornedStart: { paddingLeft: 10, '& .MuiOutlinedInput-input': { paddingLeft: 0 } },
      adornedEnd: { paddingRight: 6, '& .MuiOutlinedInput-input': { paddingRight: 0 } },
      multiline: { padding: '6px 10px', '& .MuiOutlinedInput-input': { padding: 0, height: 'auto' } },
    },
  },
  MuiInputAdornment: { styleOverrides: { root: { '& .MuiSvgIcon-root': { fontSize: 16 } } } },
  MuiFormHelperText: {
    styleOverrides: {
      root: {
        margin: '4px 0 0',
        fontSize: 'var(--meta)',
        lineHeight: 'var(--meta-line)',
        color: 'var(--dim)',
        '&.Mui-error': { color: 'var(--danger)' },
      },
    },
  },
  MuiSelect: {
    defaultProps: { IconComponent: (properties) => <Icon name="chevronDown" {...properties} /> },
    styleOverrides: {
      select: { minHeight: '20px !important', lineHeight: '20px' },
      icon: { fontSize: 16, top: 'calc(50% - 8px)', right: 8, color: 'var(--dim)', transition: 'none' },
    },
  },
  MuiAutocomplete: {
    defaultProps: {
      popupIcon: <Icon name="chevronDown" />,
      clearIcon: <Icon name="cross" />,
    },
    styleOverrides: {
      inputRoot: {
        '&.MuiOutlinedInput-root.MuiInputBase-sizeSmall': { padding: '2px 60px 2px 4px', gap: 4 },
        '&.MuiOutlinedInput-root.MuiInputBase-sizeSmall .MuiAutocomplete-input': {
          padding: '4px 6px',
          height: 20,
        },
      },
      endAdornment: { '& .MuiSvgIcon-root': { fontSize: 16 } },
      popupIndicator: { width: 24, height: 24 },
      clearIndicator: { width: 24, height: 24 },
      option: { minHeight: 32, fontSize: 'var(--small)' },
      listbox: { padding: 4, '& .MuiAutocomplete-option': { borderRadius: 4, padding: '6px 8px' } },
      noOptions: { fontSize: 'var(--small)' },
      loading: { fontSize: 'var(--small)' },
      paper: { marginTop: 4 },
    },
  },
  MuiCheckbox: {
    defaultProps: {
      size: 'small',
      icon: <Icon name="boxEmpty" />,
      checkedIcon: <FilledBox d="M8.5 12.25l2.5 2.5 4.75-5.25" />,
      indeterminateIcon: <FilledBox d="M8.5 12h7" />,
    },
    styleOverrides: {
      root: {
        padding: 6,
        color: 'var(--control)',
        '&.Mui-checked, &.MuiCheckbox-indeterminate': { color: 'var(--accent)' },
        '&:hover': { backgroundColor: 'transparent', color: 'var(--dim)' },
        '& .MuiSvgIcon-root': { fontSize: 18 },
      },
    },
  },
  MuiRadio: {
    defaultProps: { size: 'small', icon: <Icon name="circle" />, checkedIcon: <ChosenCircle /> },
    styleOverrides: {
      root: {
        padding: 6,
        color: 'var(--control)',
        '&.Mui-checked': { color: 'var(--accent)' },
        '& .MuiSvgIcon-root': { fontSize: 18 },
      },
    },
  },
  MuiFormControlLabel: {
    styleOverrides: { root: { marginLeft: -6 }, label: { fontSize: 'var(--body)' } },
  },
  MuiSwitch: {
    styleOverrides: {
      root: { width: 30, height: 18, padding: 0, margin: '0 6px', overflow: 'visible' },
      sizeSmall: { width: 30, height: 18, padding: 0 },
      switchBase: {
        padding: '3px !important',
        color: '#fff',
        '&.Mui-checked': { transform: 'translateX(12px) !important', color: 'var(--on-accent)' },
        '&.Mui-checked + .MuiSwitch-track': { backgroundColor: 'var(--accent)', opacity: 1 },
        '&.Mui-focusVisible + .MuiSwitch-track': focus,
        '&.Mui-disabled + .MuiSwitch-track': { opacity: 0.5 },
      },
      thumb: { width: '12px !important', height: '12px !important', boxShadow: 'none' },
      track: { borderRadius: 9, backgroundColor: 'var(--control)', opacity: 1 },
    },
  },
};

const overlay = {
  backgroundImage: 'none',
  border: '1px solid var(--line)',
  boxShadow: 'var(--shadow)',
} as const;

/** Shadows only for surfaces over the page. */
const surfaces: Shapes = {
  MuiPaper: {
    defaultProps: { elevation: 0 },
    styleOverrides: {
      root: { backgroundImage: 'none' },
      rounded: { borderRadius: 'var(--radius)' },
      outlined: { borderColor: 'var(--line)' },
    },
  },
  MuiDialog: {
    styleOverrides: { paper: { ...overlay, borderRadius: 'var(--radius-dialog)' } },
  },
  MuiDialogTitle: { styleOverrides: { root: { padding: '20px 24px 8px', fontSize: 'var(--section)' } } },
  MuiDialogContent: { styleOverrides: { root: { padding: '8px 24px' } } },
  MuiDialogActions: { styleOverrides: { root: { padding: '12px 24px 20px' } } },
  MuiPopover: { styleOverrides: { paper: overlay } },
  MuiMenu: { styleOverrides: { paper: { ...overlay, marginTop: 4 }, list: { padding: 4 } } },
  MuiMenuItem: {
    styleOverrides: {
      root: {
        minHeight: '32px !important',
        padding: '6px 10px',
        borderRadius: 4,
        fontSize: 'var(--small)',
        lineHeight: 'var(--small-line)',
        gap: 8,
        '&.Mui-selected': { backgroundColor: 'var(--accent-soft)' },
        '&.Mui-focusVisible': { outline: 'none', backgroundColor: 'var(--raised)' },
        [touch]: { minHeight: '40px !important' },
      },
    },
  },
  MuiListSubheader: {
    styleOverrides: {
      root: { padding: '8px 10px 2px', fontSize: 'var(--meta)', fontWeight: 500, color: 'var(--faint)' },
    },
  },
  MuiDivider: { styleOverrides: { root: { borderColor: 'var(--line)' } } },
  MuiDrawer: { styleOverrides: { paper: { border: 0, borderRight: '1px solid var(--line)' } } },
  MuiBackdrop: {
    styleOverrides: { root: { '&:not(.MuiBackdrop-invisible)': { backgroundColor: 'rgb(10 16 16 / 40%)' } } },
  },
};

/** Contents: tables, notices, chips. */
const contents: Shapes = {
  MuiTableCell: {
    styleOverrides: {
      root: {
        borderColor: 'var(--line)',
        padding: '7px 12px',
        fontSize: 'var(--small)',
        lineHeight: 'var(--small-line)',
      },
      head: {
        color: 'var(--dim)',
        fontWeight: 500,
        whiteSpace: 'nowrap',
        backgroundColor: 'transparent',
      },
      paddingCheckbox: { width: 40, padding: '0 0 0 8px' },
    },
  },
  MuiTableRow: {
    styleOverrides: {
      root: {
        '&.MuiTableRow-hover:hover': { backgroundColor: 'var(--raised)' },
        '&.Mui-selected, &.Mui-selected:hover': { backgroundColor: 'var(--accent-soft)' },
        'tbody > &:last-of-type > td': { borderBottom: 0 },
      },
    },
  },
  MuiTableSortLabel: {
    defaultProps: { IconComponent: (properties) => <Icon name="arrowDown" {...properties} /> },
    styleOverrides: {
      root: { '&.Mui-active': { color: 'var(--text)' } },
      icon: { fontSize: 14, margin: '0 2px' },
    },
  },
  MuiChip: {
    styleOverrides: {
      root: {
        height: 24,
        borderRadius: 'var(--radius-control)',
        fontSize: 'var(--small)',
        fontWeight: 400,
        [touch]: { '&.MuiChip-deletable': { height: 36 } },
      },
      sizeSmall: { height: 20, fontSize: 'var(--meta)', fontWeight: 500, borderRadius: 4 },
      outlined: { borderColor: 'var(--line)', backgroundColor: 'var(--ground)' },
      deleteIcon: { fontSize: 14, color: 'var(--dim)', margin: '0 6px 0 -4px' },
    },
    defaultProps: { deleteIcon: <Icon name="cross" /> },
  },
  MuiAlert: {
    defaultProps: {
      iconMapping: {
        success: <Icon name="check" fontSize="inherit" />,
        info: <Icon name="info" fontSize="inherit" />,
        warning: <Icon name="attention" fontSize="inherit" />,
        error: <Icon name="attention" fontSize="inherit" />,
      },
    },
    styleOverrides: {
      root: {
        alignItems: 'center',
        padding: '4px 12px',
        borderRadius: 'var(--radius)',
        border: '1px solid var(--line)',
        backgroundColor: 'var(--ground)',
        color: 'var(--text)',
        fontSize: 'var(--body)',
        lineHeight: 'var(--body-line)',
        variants: [
          {
            props: { severity: 'warning' },
            style: {
              backgroundColor: 'var(--lantern-ground)',
              borderColor: 'color-mix(in srgb, var(--lantern) 30%, transparent)',
            },
          },
          {
            props: { severity: 'error' },
            style: { borderColor: 'color-mix(in srgb, var(--danger) 45%, transparent)' },
          },
        ],
        '&.MuiAlert-colorError .MuiAlert-icon': { color: 'var(--danger)' },
        '&.MuiAlert-colorWarning .MuiAlert-icon': { color: 'var(--lantern)' },
        '&.MuiAlert-colorSuccess .MuiAlert-icon': { color: 'var(--good)' },
        '&.MuiAlert-colorInfo .MuiAlert-icon': { color: 'var(--accent)' },
      },
      icon: { fontSize: 18, padding: '6px 0', marginRight: 10, opacity: 1 },
      message: { padding: '6px 0' },
      action: { paddingTop: 0, alignItems: 'center' },
    },
  },
  MuiSkeleton: {
    defaultProps: { animation: false },
    styleOverrides: { root: { backgroundColor: 'var(--raised)' } },
  },
  MuiSnackbarContent: {
    styleOverrides: {
      root: {
        padding: '4px 12px',
        color: 'var(--page)',
        backgroundColor: 'var(--text)',
        borderRadius: 'var(--radius)',
        boxShadow: 'var(--shadow)',
        fontSize: 'var(--body)',
      },
    },
  },
  MuiPaginationItem: {
    styleOverrides: {
      root: { minWidth: 28, height: 28, borderRadius: 'var(--radius-control)', fontSize: 'var(--small)' },
    },
  },
  MuiTabs: {
    styleOverrides: { root: { minHeight: 36 }, indicator: { height: 2, backgroundColor: 'var(--accent)' } },
  },
  MuiTab: {
    styleOverrides: {
      root: {
        minHeight: 36,
        minWidth: 0,
        padding: '8px 0',
        marginRight: 24,
        fontSize: 'var(--body)',
        color: 'var(--dim)',
        '&.Mui-selected': { color: 'var(--text)' },
      },
    },
  },
};

/** The looks of the component library. */
export const shapes: Shapes = { ...buttons, ...fields, ...surfaces, ...contents };

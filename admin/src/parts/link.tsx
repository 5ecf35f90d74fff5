import Button, { type ButtonProps } from '@mui/material/Button';
import MuiLink from '@mui/material/Link';
import type { ReactNode } from 'react';
import { Link as RouterLink } from 'react-router';

interface LinkProps {
  readonly to: string;
  readonly children: ReactNode;
  /** For a link whose text alone would not say where it leads. */
  readonly label?: string;
}

export const Link = ({ to, children, label }: LinkProps) => (
  <MuiLink component={RouterLink} to={to} aria-label={label} sx={{ overflowWrap: 'anywhere' }}>
    {children}
  </MuiLink>
);

export const LinkButton = ({
  to,
  children,
  label,
  ...rest
}: Pick<ButtonProps, 'variant' | 'color' | 'startIcon' | 'size'> & LinkProps) => (
  <Button component={RouterLink} to={to} aria-label={label} {...rest}>
    {children}
  </Button>
);

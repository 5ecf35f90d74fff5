import Button, { type ButtonProps } from '@mui/material/Button';
import type { ReactNode } from 'react';
import { Link as RouterLink } from 'react-router';

interface LinkProps {
  readonly to: string;
  readonly children: ReactNode;
  /** For a link whose text alone would not say where it leads. */
  readonly label?: string;
}

export const Link = ({ to, children, label }: LinkProps) => (
  <RouterLink className="link" to={to} aria-label={label}>
    {children}
  </RouterLink>
);

interface OtherLinkProps extends Pick<LinkProps, 'children'> {
  readonly href: string;
}

/** A link that leads out of these pages. */
export const OtherLink = ({ href, children }: OtherLinkProps) => (
  <a className="link" href={href} target="_blank" rel="noopener noreferrer nofollow">
    {children}
  </a>
);

/** The key by which the primary action of a page is taken: see `layout/shortcuts.ts`. */
export type ShortcutKey = 'c' | 'e';

/** The attributes by which a key finds its button. */
export const shortcutOf = (key: ShortcutKey | undefined) =>
  key === undefined ? {} : { 'aria-keyshortcuts': key, 'data-shortcut': key };

interface LinkButtonProps extends LinkProps, Pick<ButtonProps, 'variant' | 'color' | 'startIcon' | 'size'> {
  readonly shortcut?: ShortcutKey;
}

export const LinkButton = ({ to, children, label, shortcut, ...rest }: LinkButtonProps) => (
  <Button component={RouterLink} to={to} aria-label={label} {...shortcutOf(shortcut)} {...rest}>
    {children}
  </Button>
);

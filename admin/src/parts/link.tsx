import Button, { type ButtonProps } from '@mui/material/Button';
import { createContext, type ReactNode, useContext } from 'react';
import { Link as RouterLink } from 'react-router';

interface LinkProps {
  readonly to: string;
  readonly children: ReactNode;
  /** Accessible name, if the text alone does not name the target. */
  readonly label?: string | undefined;
}

/** False where links would stand too close to be hit by a finger: their texts are shown. */
export const LinksHaveRoom = createContext(true);

export const Link = ({ to, children, label }: LinkProps) =>
  useContext(LinksHaveRoom) ? (
    <RouterLink className="link" to={to} aria-label={label}>
      {children}
    </RouterLink>
  ) : (
    <span>{children}</span>
  );

interface OtherLinkProps extends Pick<LinkProps, 'children'> {
  readonly href: string;
}

/** A link out of these pages. */
export const OtherLink = ({ href, children }: OtherLinkProps) =>
  useContext(LinksHaveRoom) ? (
    <a className="link" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );

/** Key of the primary action of a page: see `layout/shortcuts.ts`. */
export type ShortcutKey = 'c' | 'e';

/** Attributes by which a shortcut finds its button. */
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

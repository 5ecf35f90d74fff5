import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';

interface SectionProps {
  readonly title: string;
  /** Stand beside the heading. */
  readonly actions?: ReactNode;
  /** The list in it has the same name: the section itself is no landmark then. */
  readonly isListed?: boolean;
  readonly children: ReactNode;
}

/** A part of a page under a heading of its own. */
export const Section = ({ title, actions, isListed = false, children }: SectionProps) => {
  const heading = useId();
  return (
    <Stack component="section" {...(isListed ? {} : { 'aria-labelledby': heading })} sx={{ gap: 1 }}>
      <Stack direction="row" sx={{ alignItems: 'center', flexWrap: 'wrap', gap: 1 }}>
        <Typography id={heading} variant="h2" sx={{ flexGrow: 1 }}>
          {title}
        </Typography>
        {actions}
      </Stack>
      {children}
    </Stack>
  );
};

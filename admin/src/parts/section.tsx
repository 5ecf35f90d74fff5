import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';

interface SectionProps {
  readonly title: string;
  /** Elements next to the heading. */
  readonly actions?: ReactNode;
  /** True if a list in it has the same name: the section is then no landmark. */
  readonly isListed?: boolean;
  readonly children: ReactNode;
}

/** A part of a page with its own heading. */
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

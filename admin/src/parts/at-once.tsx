import Box from '@mui/material/Box';
import { useIsFetching } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';

/** Shows several parts of a page at once, when all of them are there: none moves another while it arrives. */
export const AtOnce = ({ children }: { readonly children: ReactNode }) => {
  const fetching = useIsFetching();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (shown || fetching > 0) return undefined;
    // A part that has arrived may ask for more.
    const frame = requestAnimationFrame(() => setShown(true));
    return () => cancelAnimationFrame(frame);
  }, [shown, fetching]);
  return <Box sx={{ display: 'contents', ...(shown ? {} : { visibility: 'hidden' }) }}>{children}</Box>;
};

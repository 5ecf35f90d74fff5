import Box from '@mui/material/Box';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';

/** Frames without a request after which everything is there: a part that has arrived may ask for more. */
const quietFrames = 3;

/** Shows several parts of a page at once, when all of them are there: none moves another while it arrives. */
export const AtOnce = ({ children }: { readonly children: ReactNode }) => {
  const client = useQueryClient();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    let quiet = 0;
    // The client itself knows of a request before any hook: on a busy machine a frame comes between the two.
    const look = (): void => {
      quiet = client.isFetching() === 0 ? quiet + 1 : 0;
      if (quiet === quietFrames) setShown(true);
      else frame = requestAnimationFrame(look);
    };
    let frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  }, [client]);
  return <Box sx={{ display: 'contents', ...(shown ? {} : { visibility: 'hidden' }) }}>{children}</Box>;
};

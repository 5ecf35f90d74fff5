import Box from '@mui/material/Box';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';

/** Frames without a request after which everything has arrived: a part that arrives may send further requests. */
const quietFrames = 3;

/** Shows several parts of a page once all of them have arrived, so that none moves another. */
export const RevealWhenLoaded = ({ children }: { readonly children: ReactNode }) => {
  const client = useQueryClient();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    let quiet = 0;
    // Reads the query client itself, which knows of a request before any hook: on a busy machine a frame comes between.
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

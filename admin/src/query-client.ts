import { QueryClient } from '@tanstack/react-query';

/** The transport tries again by itself where that can help; what it gives up is shown at once. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false, staleTime: 2_000 } },
});

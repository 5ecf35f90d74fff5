import { QueryClient } from '@tanstack/react-query';

/**
 * The transport repeats requests itself if that can help, so failures are shown at once. The browser's opinion about
 * its network is ignored: waiting requests would show nothing, and be sent at an unexpected time.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: 2_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

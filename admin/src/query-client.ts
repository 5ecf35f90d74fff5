import { QueryClient } from '@tanstack/react-query';

/**
 * The transport tries again by itself where that can help; what it gives up is shown at once. The opinion of a browser about its
 * network decides nothing: what waited for it would say nothing meanwhile, and be sent when it is not expected any more.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: 2_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

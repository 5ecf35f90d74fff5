import { QueryClient } from '@tanstack/react-query';

/**
 * The transport tries again by itself where that can help; what it gives up is shown at once. What a browser thinks of its
 * network decides nothing: what waited for it would say nothing meanwhile, and be sent when nobody expects it any more.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: 2_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

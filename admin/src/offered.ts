/** Optional parts of the service. */
type Part = 'documented' | 'mail' | 'providers' | 'registration';

/** True if the service has the part: attributes of its page say so. */
export const offers = (part: Part): boolean => part in document.documentElement.dataset;

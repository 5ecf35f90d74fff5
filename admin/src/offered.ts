/** Parts of the service that not every application has. */
type Part = 'documented' | 'mail' | 'providers' | 'registration';

/** Whether the service has a part: the page that it sent says so. */
export const offers = (part: Part): boolean => part in document.documentElement.dataset;

/** Path of the pages with both slashes: `/admin/`, or `/prefix/admin/` with a base path. */
export const pagesPath = new URL(/* @vite-ignore */ '..', import.meta.url).pathname;

/** Path before `/admin` and `/api/v1` in every path of the service; empty without a base path. */
export const basePath = pagesPath.replace(/\/admin\/$/, '');

/** Tells whether an `Accept-Encoding` header takes a content coding: it names it, and with a weight above zero. */
export const takesCoding = (header: string | undefined, name: 'gzip' | 'br'): boolean =>
  (header ?? '').split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    return coding === name && !parameters.some((each) => /^q=0(?:\.0{0,3})?$/.test(each));
  });

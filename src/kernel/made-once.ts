/** Returns a function that makes its result once for each object, and keeps it as long as the object. */
export const madeOnce = <Of extends object, Made>(make: (of: Of) => Made): ((of: Of) => Made) => {
  const made = new WeakMap<Of, { readonly value: Made }>();
  return (of) => {
    const kept = made.get(of);
    if (kept !== undefined) return kept.value;
    const value = make(of);
    made.set(of, { value });
    return value;
  };
};

/** True if the user can reach it: a select keeps an invisible input for forms that the browser submits. */
const isReachable = (element: HTMLElement): boolean =>
  element.getAttribute('aria-hidden') !== 'true' && element.getClientRects().length > 0;

/** The wrong fields of a form, in their order on the page. */
const wrongFields = (form: HTMLElement): HTMLElement[] => {
  for (const folded of form.querySelectorAll('details:not([open]):has([aria-invalid="true"])'))
    folded.setAttribute('open', '');
  return [...form.querySelectorAll<HTMLElement>('[aria-invalid="true"]')].filter(isReachable);
};

/** The last focused wrong field of each form: on the way to the next one the focus is on a button. */
const lastFocused = new WeakMap<HTMLElement, HTMLElement>();

/** Scrolls a field into the middle of the window, clear of the bars, and focuses it. */
const focusField = (form: HTMLElement, field: HTMLElement): void => {
  const prefersReducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  field.scrollIntoView({ block: 'center', behavior: prefersReducedMotion ? 'auto' : 'smooth' });
  field.focus({ preventScroll: true });
  lastFocused.set(form, field);
};

/** Focuses the first field of a form. */
export const focusFirstField = (form: HTMLElement): void => {
  const fields = [...form.querySelectorAll<HTMLElement>('input, textarea, [role="combobox"]')];
  const first = fields.find(isReachable);
  if (first !== undefined) focusField(form, first);
};

export const focusFirstError = (form: HTMLElement): void => {
  const [first] = wrongFields(form);
  if (first !== undefined) focusField(form, first);
};

/** Focuses the wrong field after (1) or before (-1) the last one, and wraps around at the end. */
export const focusNextError = (form: HTMLElement, step: 1 | -1): void => {
  const fields = wrongFields(form);
  const last = lastFocused.get(form);
  const place = last === undefined ? -1 : fields.indexOf(last);
  const next = place < 0 && step === -1 ? fields.length - 1 : place + step + fields.length;
  const field = fields[next % fields.length];
  if (field !== undefined) focusField(form, field);
};

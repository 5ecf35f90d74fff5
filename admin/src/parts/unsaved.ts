import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';

interface OpenForm {
  dirty: boolean;
}

/** The step that waits until the user says whether their input may be lost. */
export interface LeaveQuestion {
  readonly leave: () => void;
  readonly stay: () => void;
}

const forms = new Set<OpenForm>();
const listeners = new Set<() => void>();
let question: LeaveQuestion | undefined;

const put = (next: LeaveQuestion | undefined): void => {
  question = next;
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether a form of the page has input that is not saved. */
export const hasUnsaved = (): boolean => [...forms].some(({ dirty }) => dirty);

/** The input in the forms of the page is not wanted any more. */
export const forsake = (): void => {
  for (const form of forms) form.dirty = false;
};

const ask = (isDirty: boolean, forget: () => void, leave: () => void, stay: () => void = () => {}): void => {
  if (!isDirty) {
    leave();
    return;
  }
  put({
    leave: () => {
      put(undefined);
      forget();
      leave();
    },
    stay: () => {
      put(undefined);
      stay();
    },
  });
};

/** Does what takes the page away, once it was asked where that loses input. */
export const askBefore = (leave: () => void, stay?: () => void): void =>
  ask(hasUnsaved(), forsake, leave, stay);

export const useLeaveQuestion = (): LeaveQuestion | undefined =>
  useSyncExternalStore(subscribe, () => question);

/** The functions of a form about its input; made by `useUnsaved`. */
export interface Unsaved {
  /** It is saved: leaving asks no more, until something is typed into a form that was clean again in between. */
  readonly saved: () => void;
  /** Closes a form that is no page, such as a dialog; asks where that loses input. */
  readonly leave: (close: () => void) => void;
}

/**
 * Tells that a form has input that is not saved. However the page is left then, by a link, the palette, the browser's
 * back button, a reload or closing it, it asks before. `Form` demands it of every form.
 */
export const useUnsaved = (dirty: boolean): Unsaved => {
  const [form] = useState<OpenForm>(() => ({ dirty: false }));
  const [unsaved] = useState<Unsaved>(() => {
    const saved = (): void => {
      form.dirty = false;
    };
    return { saved, leave: (close) => ask(form.dirty, saved, close) };
  });
  useLayoutEffect(() => {
    forms.add(form);
    return () => {
      forms.delete(form);
    };
  }, [form]);
  useLayoutEffect(() => {
    form.dirty = dirty;
  }, [form, dirty]);
  useEffect(() => {
    if (!dirty) return;
    const beforeUnload = (event: BeforeUnloadEvent): void => {
      if (form.dirty) event.preventDefault();
    };
    window.addEventListener('beforeunload', beforeUnload);
    return () => window.removeEventListener('beforeunload', beforeUnload);
  }, [form, dirty]);
  return unsaved;
};

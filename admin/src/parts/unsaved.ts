/** Unsaved input: the question before it is lost, whatever the way out of a page. */

import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';

interface OpenForm {
  dirty: boolean;
}

/** The step that waits for the answer to the question about unsaved input. */
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

/** True if a form of the page has unsaved input. */
export const hasUnsaved = (): boolean => [...forms].some(({ dirty }) => dirty);

/** Discards the unsaved input of the page. */
export const discardUnsaved = (): void => {
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

/** Runs a step that leaves the page, after a question if input would be lost. */
export const askBefore = (leave: () => void, stay?: () => void): void =>
  ask(hasUnsaved(), discardUnsaved, leave, stay);

export const useLeaveQuestion = (): LeaveQuestion | undefined =>
  useSyncExternalStore(subscribe, () => question);

/** The functions of `useUnsaved` for one form. */
export interface Unsaved {
  /** Called after saving: leaving no longer asks, until the form is edited again. */
  readonly saved: () => void;
  /** Closes a form within a page, such as a dialog; asks if input would be lost. */
  readonly leave: (close: () => void) => void;
}

/**
 * Registers the unsaved input of a form. Every way out of the page asks first: a link, the palette, the back button, a
 * reload or closing it. `Form` requires it of every form.
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

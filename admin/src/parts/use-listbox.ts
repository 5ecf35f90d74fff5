import { type KeyboardEvent, useState } from 'react';
import { useText } from '../texts/provider.ts';

/** An input with a list of options in a form: whether the list is open, and what its `Autocomplete` needs for that. */
export const useListbox = () => {
  const text = useText();
  const [open, setOpen] = useState(false);
  const listbox = {
    open,
    onOpen: () => setOpen(true),
    onClose: () => setOpen(false),
    // Enter chooses an option, or does nothing: it never submits the form around the open list.
    onKeyDown: (event: KeyboardEvent) => {
      if (open && event.key === 'Enter') event.preventDefault();
    },
    clearText: text('common.clear'),
    openText: text('common.open'),
    closeText: text('common.close'),
  };
  return { open, listbox };
};

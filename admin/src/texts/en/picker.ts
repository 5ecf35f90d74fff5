/** Texts of inputs that pick a record. */
export const picker = {
  beyond: 'First %{shown} of %{total}: type more to narrow the list',
  newest: 'Newest %{shown}: type more to narrow the list',
  add: 'New %{~label}…',
};

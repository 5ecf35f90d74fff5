/** Texts of the menu and the top bar. */
export const menu = {
  label: 'Main menu',
  skip: 'Skip to the content',
  open: 'Open the menu',
  filter: 'Filter the menu',
  people: 'People and keys',
  records: 'Data',
  settings: 'Settings',
  watch: 'Monitoring',
  light: 'Switch to light',
  dark: 'Switch to dark',
  account: 'Account',
  language: 'Language',
  theme: 'Theme',
  themes: {
    light: 'Light',
    dark: 'Dark',
    system: 'As the system',
  },
  documentation: 'API documentation',
  handbook: 'Handbook',
  signOut: 'Sign out',
};

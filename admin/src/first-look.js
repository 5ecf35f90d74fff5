// Runs before the first paint, within the page: the theme and the frame are there from the beginning.
try {
  const root = document.documentElement;
  const theme = JSON.parse(localStorage.getItem('RaStoregatewright.theme') ?? 'null');
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  // The mark of a session, of `account/session-hint.ts`; pages of links and the sign-in have no frame.
  const hasFrame = !/\/admin\/(?:login|invitation|password_reset|register|email)\b/.test(location.pathname);
  if (hasFrame && localStorage.getItem('gatewright.session') !== null) root.dataset.frame = '';
} catch {
  // Without storage, or with something else in it, the system's theme is the right one.
}

// Runs before the first paint: a theme that was chosen in this browser is there from the beginning.
try {
  const theme = JSON.parse(localStorage.getItem('RaStoregatewright.theme') ?? 'null');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, or with something else in it, the system's theme is the right one.
}

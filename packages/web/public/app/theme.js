// Runs before the first paint, so that the page never flashes the wrong theme.
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // If storage is forbidden, the system's theme applies.
}

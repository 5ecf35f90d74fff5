/**
 * A method whose headers a proxy in front of the service sets: the page and its samples send nothing of their own.
 * @type {import('./ways.js').MakeWay}
 */
export const proxyWay = ({ name, label }, { language }) => ({
  name,
  label: label[language] ?? name,
  variables: [],
  headers: () => ({}),
  // The proxy may know the caller by a cookie of its own.
  credentials: 'same-origin',
  samples: () => ({ curl: {}, script: {}, client: {}, python: {} }),
});

import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { firstLanguage, loadTexts } from './texts/provider.ts';

/** The nonce that lets this page add style tags. Browsers hide the attribute from selectors, not from scripts. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');

await loadTexts(firstLanguage);

createRoot(root).render(
  <CacheProvider value={createCache({ key: 'gw', nonce, prepend: true })}>
    <App />
  </CacheProvider>,
);

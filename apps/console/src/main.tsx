import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import './style.css';
import { App } from './app/app.js';
import { queries } from './lib/api.js';
import { followLink, isLink } from './lib/session.js';

// Where this page is shown already, an address that differs behind the # alone loads nothing.
addEventListener('hashchange', () => isLink() && location.reload());
const linkError = await followLink();
createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App linkError={linkError} />
    </QueryClientProvider>
  </StrictMode>,
);

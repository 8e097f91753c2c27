import './styles.ts';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { speak } from './i18n.ts';
import { theme } from './theme.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

// the main process knows the language and says it in the address, so that the first paint has the right words
await speak(new URLSearchParams(location.search).get('lang') ?? 'en');

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Notifications position="bottom-center" autoClose={6000} />
      <App />
    </MantineProvider>
  </StrictMode>,
);

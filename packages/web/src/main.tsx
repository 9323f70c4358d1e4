import './styles/index.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { router } from './app/router.tsx';
import { startTexts } from './lib/i18n.ts';
import { followOtherTabs } from './lib/session.ts';
import { followSystemTheme } from './lib/theme.ts';

followSystemTheme();
followOtherTabs();
// Texts, code and data of the page are loaded at the same time.
void router.load();
await startTexts();
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root.');
createRoot(root).render(<App />);

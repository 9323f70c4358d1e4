/** The pages for people who are not signed in: one chunk, because each by itself would be tiny. */
export { LoginPage } from '../features/auth/LoginPage.tsx';
export { AnswerPage } from '../features/notifications/answer/AnswerPage.tsx';
